//! A script as a file, for as long as a process reads it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A file in the folder for temporary ones; dropping it removes it.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Writes a new file; `name` is nobody else's.
    pub(crate) fn new(name: &str, text: &[u8]) -> io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("{name}.smt2"));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let scratch = Scratch { path };
        file.write_all(text)?;
        Ok(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_there_as_long_as_it_is_held() {
        let scratch = Scratch::new(&format!("smelt-scratch-test-{}", std::process::id()), b"(exit)").unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(fs::read(&path).unwrap(), b"(exit)");
        drop(scratch);
        assert!(!path.exists());
    }
}
