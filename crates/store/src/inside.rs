//! From the name of a stored file to its path. Names are data: a folder or a database may come from someone else.

use std::path::{Component, Path, PathBuf};

use crate::{Error, ErrorKind};

/// The path of a stored name; refused if it leads out of the folder, by `..`, from the root or over a symbolic link.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let refused = |why: &str| {
        let name = name.escape_debug();
        Err(Error::new(ErrorKind::Input, format!("the store names the file `{name}`: {why}")))
    };
    let mut path = folder.to_owned();
    let mut parts = Path::new(name).components().peekable();
    if parts.peek().is_none() || name.ends_with('/') || name.contains(char::is_control) {
        return refused("this is no name of a file");
    }
    for part in parts {
        let Component::Normal(part) = part else { return refused("it is outside of the folder") };
        path.push(part);
        if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
            return refused("it is, or is behind, a symbolic link");
        }
        if path.symlink_metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return refused("it is neither a file nor a folder");
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("findings")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("findings/etc")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("findings/case.smt2")).unwrap();
        assert_eq!(inside(root, "findings/1/a.smt2").unwrap(), root.join("findings/1/a.smt2"));
        let bad = [
            "../secret.txt",
            "findings/../../secret.txt",
            "/etc/passwd",
            "findings/etc/passwd",
            "findings/case.smt2",
            "findings/",
            "",
            "..",
            "a\u{1b}[2J",
            "a\0b",
        ];
        for name in bad {
            assert_eq!(inside(root, name).unwrap_err().kind(), ErrorKind::Input, "{name:?}");
        }
    }
}
