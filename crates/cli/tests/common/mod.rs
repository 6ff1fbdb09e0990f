//! What tests of the command line share: a folder of their own, and how to read what smelt prints.
#![allow(dead_code, reason = "no test uses all of it")]

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A folder of its own for each test, gone afterwards.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Folder {
        // Tests of different files may have the same name.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("smelt-{test}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// With a file.
    pub(crate) fn with(self, name: &str, text: &str) -> Folder {
        self.file(name, text);
        self
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file; its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    /// Writes a program for the shell; its path.
    pub(crate) fn program(&self, name: &str, text: &str) -> String {
        let path = self.file(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes a solver that reads its input and then does this.
    pub(crate) fn solver(&self, name: &str, script: &str) {
        self.program(name, &format!("[ \"$1\" = --version ] && exit 0\ncat > /dev/null\n{script}"));
    }

    /// smelt in this folder.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
        command.current_dir(&self.0);
        command
    }

    pub(crate) fn smelt(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Waits for a condition. Long: only a failing test waits to the end.
pub(crate) fn wait_until(mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(300);
    while !condition() {
        assert!(Instant::now() < end, "it did not happen in five minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

pub(crate) fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}
