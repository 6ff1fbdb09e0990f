//! A fence around a solver's process: it can read files, but not write them.
//!
//! Scripts come from anywhere, and solvers have many commands, options and tactic parameters that write files. No
//! list of them is complete, and no lexer reads a script exactly as each solver does. So the kernel refuses such
//! writes: the nursery applies a Landlock ruleset to the process before it becomes the solver. The ruleset also
//! applies to all child processes. If the kernel has no Landlock (before Linux 5.13), only the scan of the script
//! protects ([`crate::script`]).

use std::{
    ffi::CString,
    io, mem,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

/// Opening a file for writing, and cutting it (since version 3 of the interface).
const WRITE: u64 = 1 << 1;
const TRUNCATE: u64 = 1 << 14;
/// Removing and making files, folders and links: bits 4 to 12; moving between folders (since version 2).
const CHANGE: u64 = 0x1ff0;
const MOVE: u64 = 1 << 13;

/// What a fence refuses in this version of the kernel's interface; 0 without Landlock.
fn refused() -> u64 {
    static REFUSED: OnceLock<u64> = OnceLock::new();
    *REFUSED.get_or_init(|| {
        const VERSION: libc::c_uint = 1;
        // SAFETY: asks for the version of the interface; no memory is passed.
        let version =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u64>(), 0_usize, VERSION) };
        match version {
            ..1 => 0,
            1 => WRITE | CHANGE,
            2 => WRITE | CHANGE | MOVE,
            _ => WRITE | CHANGE | MOVE | TRUNCATE,
        }
    })
}

/// Whether this kernel can fence processes.
pub fn has_fences() -> bool {
    refused() != 0
}

/// A ruleset that lets a process write below these folders and to `/dev/null` only; `None` without Landlock.
pub(crate) fn ruleset(folders: &[PathBuf]) -> io::Result<Option<OwnedFd>> {
    let refused = refused();
    if refused == 0 {
        return Ok(None);
    }
    // SAFETY: the attribute is one number, and its size is given; the new descriptor is owned here alone.
    let ruleset = unsafe {
        let size = mem::size_of_val(&refused);
        match libc::syscall(libc::SYS_landlock_create_ruleset, ptr::from_ref(&refused), size, 0) {
            -1 => return Err(io::Error::last_os_error()),
            fd => OwnedFd::from_raw_fd(fd as i32),
        }
    };
    allow(&ruleset, Path::new("/dev/null"), refused & (WRITE | TRUNCATE))?;
    folders.iter().try_for_each(|folder| allow(&ruleset, folder, refused))?;
    Ok(Some(ruleset))
}

fn allow(ruleset: &OwnedFd, path: &Path, access: u64) -> io::Result<()> {
    #[repr(C, packed)]
    struct Beneath {
        access: u64,
        parent: i32,
    }
    const PATH_BENEATH: libc::c_int = 1;
    let path = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
    // SAFETY: the path ends with a zero; the descriptor is owned here alone; the rule lives until the call is over.
    unsafe {
        let parent = match libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            fd => OwnedFd::from_raw_fd(fd),
        };
        let rule = Beneath { access, parent: parent.as_raw_fd() };
        let add = libc::SYS_landlock_add_rule;
        match libc::syscall(add, ruleset.as_raw_fd(), PATH_BENEATH, ptr::from_ref(&rule), 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
