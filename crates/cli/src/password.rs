//! Keeps the password of a shared store out of process lists and out of the environment of solvers.

use smelt_store::shared::{keep_password, without_password};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The variable that PostgreSQL's own programs read.
const VARIABLE: &str = "PGPASSWORD";

/// Takes the password out of the arguments, by starting anew with it in the environment, and then out of that.
pub(crate) fn hide() -> std::io::Result<()> {
    let mut password = None;
    let mut words = Vec::new();
    for word in std::env::args_os() {
        // Also behind an option: `--store=URL`.
        let text = word.to_str().unwrap_or_default();
        let at = text.find("postgres").unwrap_or(0);
        match without_password(&text[at..]) {
            Some((clean, found)) => {
                words.push(format!("{}{clean}", &text[..at]).into());
                password = Some(found);
            }
            None => words.push(word),
        }
    }
    if let Some(password) = password {
        let program = std::env::current_exe()?;
        let mut again = Command::new(program);
        again.arg0(&words[0]).args(&words[1..]).env(VARIABLE, password);
        return Err(again.exec());
    }
    if let Some(password) = std::env::var_os(VARIABLE).filter(|p| !p.is_empty()) {
        keep_password(password.to_string_lossy().into_owned());
        // The system shows the environment that a process began with to all processes of its user: overwrite it there.
        let name = std::ffi::CString::new(VARIABLE).unwrap_or_default();
        // SAFETY: this process has one thread, so nobody reads the environment now; the value is a string of this length.
        unsafe {
            let value = libc::getenv(name.as_ptr());
            if !value.is_null() {
                std::ptr::write_bytes(value, b'x', libc::strlen(value));
            }
            std::env::remove_var(VARIABLE);
        }
    }
    Ok(())
}
