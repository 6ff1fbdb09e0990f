//! Resolves the names of stored files to paths and reads them. The names are untrusted: a folder or a database may
//! come from someone else, who may change it while it is read.

use std::ffi::CString;
use std::fs::File;
use std::io::{ErrorKind as IoKind, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::{Error, ErrorKind};

/// The most bytes of a stored file: a script of 50 MB can be a seed. A sparse file takes no room on a disk, but would in
/// memory.
pub(crate) const LARGEST: u64 = 64 << 20;

/// The path of a stored name; refused if it leads out of the folder, by `..`, from the root or over a symbolic link.
pub fn inside(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let mut path = folder.to_owned();
    for part in parts(name)? {
        path.push(part);
        if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
            return refused(name, "it is, or is behind, a symbolic link");
        }
        if path.symlink_metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return refused(name, "it is neither a file nor a folder");
        }
    }
    Ok(path)
}

/// The content of a stored file; `None` if there is none. No link is followed, also if it is made while this runs, and a
/// file of more than [`LARGEST`] bytes is refused.
pub fn read_inside(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let failed = |e: std::io::Error| Error::io(format!("cannot read {}", folder.join(name).display()), e);
    let mut at = match File::open(folder) {
        Ok(folder) => folder,
        Err(e) if e.kind() == IoKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    for part in parts(name)? {
        at = match open_at(&at, part) {
            Ok(next) => next,
            Err(e) if matches!(e.kind(), IoKind::NotFound | IoKind::NotADirectory) => return Ok(None),
            Err(e) if e.raw_os_error() == Some(libc::ELOOP) => {
                return refused(name, "it is, or is behind, a symbolic link");
            }
            Err(e) => return Err(failed(e)),
        };
    }
    let about = at.metadata().map_err(failed)?;
    if !about.is_file() {
        return refused(name, "it is not a file");
    }
    if about.len() > LARGEST {
        return refused(name, &format!("it has more than {} MiB", LARGEST >> 20));
    }
    let mut content = Vec::with_capacity(about.len() as usize);
    at.take(LARGEST).read_to_end(&mut content).map_err(failed)?;
    Ok(Some(content))
}

/// Opens a file or folder of a folder to read it, but not over a link, and without waiting for a pipe.
fn open_at(folder: &File, name: &Path) -> std::io::Result<File> {
    let name = CString::new(name.as_os_str().as_bytes())?;
    let flags = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
    // SAFETY: the folder is open, and the name ends with a NUL byte and lives through the call.
    let opened = unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), flags) };
    if opened < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: it was just opened, and nothing else owns it.
    Ok(unsafe { File::from_raw_fd(opened) })
}

/// The parts of a stored name, each the name of a folder or file.
fn parts(name: &str) -> Result<Vec<&Path>, Error> {
    let path = Path::new(name);
    if path.components().next().is_none() || name.ends_with('/') || name.contains(char::is_control) {
        return refused(name, "this is not a file name");
    }
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below {
        return refused(name, "it is outside the folder");
    }
    Ok(path.components().map(|part| Path::new(part.as_os_str())).collect())
}

fn refused<T>(name: &str, why: &str) -> Result<T, Error> {
    let name = name.escape_debug();
    Err(Error::new(ErrorKind::Input, format!("the store refers to the file `{name}`: {why}")))
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
        assert_eq!(read_inside(root, "findings/1/a.smt2").unwrap(), None);
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
            assert_eq!(read_inside(root, name).unwrap_err().kind(), ErrorKind::Input, "{name:?}");
        }
    }

    #[test]
    fn a_sparse_file_a_folder_and_a_pipe_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join("small"), "text").unwrap();
        assert_eq!(read_inside(root, "small").unwrap().as_deref(), Some(&b"text"[..]));
        File::create(root.join("sparse")).unwrap().set_len(1 << 40).unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        let pipe = CString::new(root.join("pipe").as_os_str().as_bytes()).unwrap();
        // SAFETY: the name ends with a NUL byte and lives through the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        for name in ["sparse", "folder", "pipe"] {
            assert_eq!(read_inside(root, name).unwrap_err().kind(), ErrorKind::Input, "{name}");
        }
    }

    /// Checking first and opening later would allow a change in between.
    #[test]
    fn a_link_that_comes_and_goes_is_never_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join("secret"), "secret").unwrap();
        let inner = root.join("hunt");
        std::fs::create_dir(&inner).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = std::fs::remove_file(inner.join("a"));
                    let _ = std::fs::write(inner.join("a"), "mine");
                    let _ = std::fs::remove_file(inner.join("a"));
                    let _ = symlink(root.join("secret"), inner.join("a"));
                }
            });
            for _ in 0..20_000 {
                if let Ok(Some(text)) = read_inside(&inner, "a") {
                    assert_ne!(text, b"secret");
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
