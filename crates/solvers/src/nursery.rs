//! The nursery: one small process that starts and reaps every solver, and outlives smelt just long enough to kill
//! those that still run.
//!
//! smelt forks it once (call [`start`] early, while smelt is small and has few threads) and talks to it over a
//! socket. The nursery is the parent of all solvers and a *subreaper*: orphaned grandchildren become its children,
//! even those that left their process group. It holds the only other end of the socket. So however smelt dies,
//! SIGKILL included, the nursery reads end-of-file, kills all its descendants and exits. If the nursery itself is
//! killed, the kernel kills the solvers (parent-death signal), smelt sees their report pipes close, and the next
//! start makes a new nursery.
//!
//! A parent-death signal alone would not suffice: it fires when the forking *thread* ends, and does not reach
//! grandchildren. A supervisor per solver would be too expensive: each fork would keep a copy of smelt's memory for
//! as long as it lives.
//!
//! This file is smelt's side; [`reaper`] is the nursery's side.

mod reaper;

use std::{
    ffi::{CStr, CString},
    fs::File,
    io, mem,
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What the kernel enforces on a started process; zero means no limit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rlimits {
    pub(crate) address_space: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) file_size: u64,
}

/// One message about a started process, written into its report pipe.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    pub(crate) tag: u32,
    /// The process id (`STARTED`), the errno (`FAILED`) or the wait status (`EXITED`).
    pub(crate) value: i32,
    pub(crate) cpu_micros: u64,
    pub(crate) peak_kib: u64,
}

/// The process runs.
pub(crate) const STARTED: u32 = 1;
/// It could not be executed.
pub(crate) const FAILED: u32 = 2;
/// It ended and was reaped; its group is killed.
pub(crate) const EXITED: u32 = 3;

impl Report {
    pub(crate) const SIZE: usize = mem::size_of::<Report>();

    /// The report in the bytes that came through the pipe.
    pub(crate) fn from_bytes(bytes: [u8; Report::SIZE]) -> Report {
        // SAFETY: every bit pattern is a valid `Report`, a struct of integers of this very size.
        unsafe { mem::transmute(bytes) }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Order {
    op: u32,
    argc: u32,
    envc: u32,
    grace_millis: u32,
    id: u64,
    image_size: u64,
    /// Whether a ruleset of [`crate::fence`] is the last of the descriptors.
    fenced: u64,
    limits: Rlimits,
}

const SPAWN: u32 = 1;
const STOP: u32 = 2;

/// A handle to the running nursery.
pub(crate) struct Nursery {
    socket: OwnedFd,
    pid: libc::pid_t,
    next: AtomicU64,
}

static CURRENT: Mutex<Option<Arc<Nursery>>> = Mutex::new(None);

/// Starts the nursery unless it runs. Optional, but cheapest at the very start of `main`.
pub fn start() -> io::Result<()> {
    current().map(drop)
}

/// The process id of the nursery, if one runs.
pub fn pid() -> Option<i32> {
    CURRENT.lock().ok()?.as_ref().map(|n| n.pid)
}

fn current() -> io::Result<Arc<Nursery>> {
    let mut slot = CURRENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match &*slot {
        Some(nursery) => Ok(nursery.clone()),
        None => {
            let nursery = Arc::new(Nursery::fork()?);
            *slot = Some(nursery.clone());
            Ok(nursery)
        }
    }
}

/// The program, arguments and environment of a process to start.
pub(crate) struct Image {
    file: File,
    /// The ruleset of its fence.
    fence: Option<OwnedFd>,
    /// The request to start it, without limits and id.
    request: Order,
}

impl Image {
    /// Writes what `execve` needs into a memory file: a table of offsets, then the strings.
    pub(crate) fn new(
        program: &CStr,
        argv: &[CString],
        env: &[CString],
        fence: Option<OwnedFd>,
    ) -> io::Result<Image> {
        let strings = || std::iter::once(program).chain(argv.iter().map(|s| &**s)).map(Some).chain([None]);
        let strings = || strings().chain(env.iter().map(|s| Some(&**s))).chain([None]);
        let mut offset = strings().count() * 8;
        let mut bytes = Vec::new();
        for string in strings() {
            let here = string.map_or(0, |_| offset as u64);
            bytes.extend_from_slice(&here.to_ne_bytes());
            offset += string.map_or(0, |s| s.to_bytes_with_nul().len());
        }
        strings().flatten().for_each(|s| bytes.extend_from_slice(s.to_bytes_with_nul()));
        // SAFETY: a plain system call with a constant name; the descriptor is checked and owned here alone.
        let mut file = unsafe {
            match libc::memfd_create(c"smelt-launch".as_ptr(), libc::MFD_CLOEXEC) {
                -1 => return Err(io::Error::last_os_error()),
                fd => File::from_raw_fd(fd),
            }
        };
        io::Write::write_all(&mut file, &bytes)?;
        let (argc, envc, image_size) = (argv.len() as u32, env.len() as u32, bytes.len() as u64);
        let fenced = u64::from(fence.is_some());
        Ok(Image {
            file,
            fence,
            request: Order { op: SPAWN, argc, envc, image_size, fenced, ..Order::default() },
        })
    }
}

/// A started process and its nursery.
pub(crate) struct Handle {
    nursery: Arc<Nursery>,
    id: u64,
}

impl Handle {
    /// Asks the nursery to end the process and its group: SIGTERM, then SIGKILL after `grace`.
    pub(crate) fn stop(&self, grace: Duration) {
        let grace_millis = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        let request = Order { op: STOP, id: self.id, grace_millis, ..Order::default() };
        // If the nursery is gone, so is the process.
        let _ = self.nursery.send(&request, &[]);
    }
}

/// Has the nursery start a process on the given descriptors; reports about it come through the pipe `report`.
pub(crate) fn spawn(image: &Image, limits: Rlimits, stdio: [RawFd; 3], report: RawFd) -> io::Result<Handle> {
    let [stdin, stdout, stderr] = stdio;
    let fence = image.fence.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    let fds: [RawFd; reaper::FDS] = [stdin, stdout, stderr, report, image.file.as_raw_fd(), fence];
    let sent = &fds[..if fence == -1 { reaper::FDS - 1 } else { reaper::FDS }];
    let attempt = || {
        let nursery = current()?;
        let id = nursery.next.fetch_add(1, Ordering::Relaxed);
        match nursery.send(&Order { id, limits, ..image.request }, sent) {
            Ok(()) => Ok(Handle { nursery, id }),
            Err(e) => {
                nursery.retire();
                Err(e)
            }
        }
    };
    // The second attempt starts a new nursery.
    attempt().or_else(|_| attempt())
}

impl Nursery {
    fn fork() -> io::Result<Nursery> {
        let mut pair = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: `pair` has room for the two descriptors; both are owned here right after the check.
        let (ours, theirs) = unsafe {
            if libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) != 0 {
                return Err(io::Error::last_os_error());
            }
            (OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1]))
        };
        // SAFETY: the child runs `reaper::run`, which keeps to system calls on its own stack and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // SAFETY: this is the freshly forked child, with one thread.
                unsafe { reaper::run(theirs.as_raw_fd()) }
            }
            pid => Ok(Nursery { socket: ours, pid, next: AtomicU64::new(1) }),
        }
    }

    fn send(&self, request: &Order, fds: &[RawFd]) -> io::Result<()> {
        let mut part = libc::iovec {
            iov_base: ptr::from_ref(request).cast_mut().cast(),
            iov_len: mem::size_of::<Order>(),
        };
        let mut control = [0_u64; 8];
        let payload = mem::size_of_val(fds);
        // SAFETY: `msghdr` is a C struct for which all-zero is a valid value; pointers set below outlive the call;
        // `control` is aligned and larger than the space for FDS descriptors.
        let sent = unsafe {
            let mut message: libc::msghdr = mem::zeroed();
            message.msg_iov = &mut part;
            message.msg_iovlen = 1;
            if !fds.is_empty() {
                message.msg_control = control.as_mut_ptr().cast();
                message.msg_controllen = libc::CMSG_SPACE(payload as u32) as _;
                let header = libc::CMSG_FIRSTHDR(&message);
                (*header).cmsg_level = libc::SOL_SOCKET;
                (*header).cmsg_type = libc::SCM_RIGHTS;
                (*header).cmsg_len = libc::CMSG_LEN(payload as u32) as _;
                ptr::copy_nonoverlapping(fds.as_ptr().cast::<u8>(), libc::CMSG_DATA(header), payload);
            }
            loop {
                let sent = libc::sendmsg(self.socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL);
                if sent >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                    break sent;
                }
            }
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Forgets a nursery that is gone, so that the next start makes a new one.
    fn retire(self: &Arc<Self>) {
        let mut slot = CURRENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if slot.as_ref().is_some_and(|n| Arc::ptr_eq(n, self)) {
            *slot = None;
            // SAFETY: reaps our own child if it is dead; no memory is passed.
            unsafe { libc::waitpid(self.pid, ptr::null_mut(), libc::WNOHANG) };
        }
    }
}
