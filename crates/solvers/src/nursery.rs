//! The nursery: one small process that starts every solver, reaps it, and outlives smelt just long enough to
//! kill what is left.
//!
//! smelt forks it once (call [`start`] early, while smelt is small and has few threads) and talks to it over a
//! socket. The nursery is the parent of all solvers and a *subreaper*: orphaned grandchildren become its
//! children, also those that left their process group. It holds the socket's only other end, so however smelt
//! dies, SIGKILL included, the nursery reads end-of-file, kills everything below it and exits. Should the
//! nursery itself be killed, the kernel kills the solvers (parent-death signal), smelt sees their report pipes
//! close, and the next start makes a new nursery.
//!
//! Why not a parent-death signal alone: it fires when the forking *thread* ends, and reaches no grandchild.
//! Why not a supervisor per solver: each fork would pin a copy of smelt's memory for as long as it lives.
//!
//! Everything between the fork and `execve` runs in a copy of a possibly multi-threaded process, so it uses
//! system calls on fixed buffers only: no allocation, no locks, no panics.

use std::{
    ffi::{CStr, CString},
    io,
    mem::{self, MaybeUninit},
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What the kernel enforces on a started process; zero means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rlimits {
    pub(crate) address_space: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) file_size: u64,
}

/// One message about a started process, written into its report pipe.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    tag: u32,
    /// The process id (`STARTED`), the errno (`FAILED`) or the wait status (`EXITED`).
    pub(crate) value: i32,
    pub(crate) cpu_micros: u64,
    pub(crate) peak_kib: u64,
}

const STARTED: u32 = 1;
const FAILED: u32 = 2;
const EXITED: u32 = 3;

/// What a [`Report`] says.
pub(crate) enum Event {
    /// The process runs under this id.
    Started(i32),
    /// It could not be executed.
    Failed(io::Error),
    /// It ended and was reaped; its group is killed.
    Exited { status: i32, cpu: Duration, peak_memory: u64 },
}

impl Report {
    pub(crate) const SIZE: usize = mem::size_of::<Report>();

    /// Reads a report from the bytes that came through the pipe.
    pub(crate) fn parse(bytes: [u8; Report::SIZE]) -> Option<Event> {
        // SAFETY: every bit pattern is a valid `Report`, a struct of integers of this very size.
        let report: Report = unsafe { mem::transmute(bytes) };
        match report.tag {
            STARTED => Some(Event::Started(report.value)),
            FAILED => Some(Event::Failed(io::Error::from_raw_os_error(report.value))),
            EXITED => Some(Event::Exited {
                status: report.value,
                cpu: Duration::from_micros(report.cpu_micros),
                peak_memory: report.peak_kib.saturating_mul(1024),
            }),
            _ => None,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Request {
    op: u32,
    argc: u32,
    envc: u32,
    grace_millis: u32,
    id: u64,
    image_size: u64,
    address_space: u64,
    cpu_seconds: u64,
    file_size: u64,
}

const SPAWN: u32 = 1;
const STOP: u32 = 2;
/// stdin, stdout, stderr, report, image: the descriptors that travel with a spawn request.
const FDS: usize = 5;
const SLOTS: usize = 1024;

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

/// The process id of the nursery, if one runs: for tests and for a person who wonders what it is.
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
    fd: OwnedFd,
    size: usize,
    argc: usize,
    envc: usize,
}

impl Image {
    /// Lays out what `execve` needs in a memory file: a table of offsets, then the strings.
    pub(crate) fn new(program: &CStr, argv: &[CString], env: &[CString]) -> io::Result<Image> {
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
        // SAFETY: a plain system call with a constant name; the result is checked and owned here alone.
        let fd = unsafe { owned(libc::memfd_create(c"smelt-launch".as_ptr(), libc::MFD_CLOEXEC)) }?;
        let mut file = std::fs::File::from(fd);
        io::Write::write_all(&mut file, &bytes)?;
        Ok(Image { fd: file.into(), size: bytes.len(), argc: argv.len(), envc: env.len() })
    }
}

/// Which started process, and where.
pub(crate) struct Handle {
    nursery: Arc<Nursery>,
    id: u64,
}

impl Handle {
    /// Asks the nursery to end the process: politely, then after `grace` by force; its whole group each time.
    pub(crate) fn stop(&self, grace: Duration) {
        let grace_millis = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        let request = Request { op: STOP, id: self.id, grace_millis, ..EMPTY };
        // A nursery that is gone has taken the process with it.
        let _ = self.nursery.send(&request, &[]);
    }
}

/// Has the nursery start a process on the given descriptors; its fate comes through the pipe behind `report`.
pub(crate) fn spawn(image: &Image, limits: Rlimits, stdio: [RawFd; 3], report: RawFd) -> io::Result<Handle> {
    let [stdin, stdout, stderr] = stdio;
    let fds = [stdin, stdout, stderr, report, image.fd.as_raw_fd()];
    let mut last = None;
    for _ in 0..2 {
        let nursery = current()?;
        let id = nursery.next.fetch_add(1, Ordering::Relaxed);
        let request = Request {
            op: SPAWN,
            argc: image.argc as u32,
            envc: image.envc as u32,
            id,
            image_size: image.size as u64,
            address_space: limits.address_space,
            cpu_seconds: limits.cpu_seconds,
            file_size: limits.file_size,
            ..EMPTY
        };
        match nursery.send(&request, &fds) {
            Ok(()) => return Ok(Handle { nursery, id }),
            Err(e) => {
                nursery.retire();
                last = Some(e);
            }
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("the nursery cannot be started")))
}

const EMPTY: Request = Request {
    op: 0,
    argc: 0,
    envc: 0,
    grace_millis: 0,
    id: 0,
    image_size: 0,
    address_space: 0,
    cpu_seconds: 0,
    file_size: 0,
};

/// SAFETY: the caller hands over a descriptor it owns, or -1 with errno set.
unsafe fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: by the contract above.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
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
        // SAFETY: the child runs `tend`, which keeps to system calls on its own stack and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // SAFETY: this is the freshly forked child, with one thread.
                unsafe { tend(theirs.as_raw_fd()) }
            }
            pid => Ok(Nursery { socket: ours, pid, next: AtomicU64::new(1) }),
        }
    }

    fn send(&self, request: &Request, fds: &[RawFd]) -> io::Result<()> {
        let mut part = libc::iovec {
            iov_base: ptr::from_ref(request).cast_mut().cast(),
            iov_len: mem::size_of::<Request>(),
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

#[derive(Clone, Copy)]
struct Slot {
    pid: libc::pid_t,
    report: RawFd,
    id: u64,
    kill_at: u64,
}

const FREE: Slot = Slot { pid: 0, report: -1, id: 0, kill_at: u64::MAX };
/// Orphans are looked for at most this often (reading all of `/proc` is not free).
const SWEEP_MILLIS: u64 = 50;

/// The life of the nursery.
///
/// SAFETY: call only in a freshly forked child; never returns.
unsafe fn tend(socket: RawFd) -> ! {
    // SAFETY: system calls on valid, stack-allocated arguments throughout.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, c"smelt-nursery".as_ptr(), 0, 0, 0);
        let mut all: libc::sigset_t = mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &all, ptr::null_mut());
        for signal in 1..32 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for fd in 0..3 {
            libc::dup2(null, fd);
        }
        // Whatever else smelt had open, sockets of other nurseries and pipes of a terminal included, must close.
        let socket = libc::fcntl(socket, libc::F_DUPFD_CLOEXEC, 3);
        if socket > 3 {
            libc::syscall(libc::SYS_close_range, 3, socket - 1, 0);
        }
        libc::syscall(libc::SYS_close_range, socket + 1, libc::c_uint::MAX, 0);
        let mut child: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&mut child);
        libc::sigaddset(&mut child, libc::SIGCHLD);
        let signals = libc::signalfd(-1, &child, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        let mut slots = [FREE; SLOTS];
        let mut dirty = false;
        let mut swept = 0;
        loop {
            let now = millis();
            let mut wake = if dirty { swept + SWEEP_MILLIS } else { u64::MAX };
            for slot in &slots {
                wake = wake.min(slot.kill_at);
            }
            let timeout =
                if wake == u64::MAX { -1 } else { wake.saturating_sub(now).min(60_000) as libc::c_int };
            let mut polled = [
                libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 },
                libc::pollfd { fd: signals, events: libc::POLLIN, revents: 0 },
            ];
            libc::poll(polled.as_mut_ptr(), 2, timeout);
            if polled[1].revents != 0 {
                let mut info = MaybeUninit::<libc::signalfd_siginfo>::uninit();
                libc::read(signals, info.as_mut_ptr().cast(), mem::size_of::<libc::signalfd_siginfo>());
            }
            dirty |= reap(&mut slots);
            if polled[0].revents != 0 && !serve(socket, &mut slots) {
                bury_all(&mut slots);
            }
            let now = millis();
            for slot in slots.iter_mut().filter(|s| s.kill_at <= now) {
                libc::kill(-slot.pid, libc::SIGKILL);
                slot.kill_at = u64::MAX;
            }
            if dirty && now >= swept + SWEEP_MILLIS {
                dirty = sweep(&slots);
                swept = now;
            }
        }
    }
}

/// SAFETY: as [`tend`].
unsafe fn millis() -> u64 {
    // SAFETY: `time` is valid for writing.
    unsafe {
        let mut time: libc::timespec = mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time);
        time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
    }
}

/// Reaps every ended child; tells whether one was.
///
/// A registered process is first seen dead without reaping it: its id cannot be reused until its group is killed.
///
/// SAFETY: as [`tend`].
unsafe fn reap(slots: &mut [Slot; SLOTS]) -> bool {
    let mut any = false;
    loop {
        // SAFETY: all pointers are to live stack values of the right type.
        unsafe {
            let mut info: libc::siginfo_t = mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &mut info, flags) != 0 || info.si_pid() == 0 {
                return any;
            }
            any = true;
            let pid = info.si_pid();
            let slot = slots.iter_mut().find(|s| s.pid == pid);
            if slot.is_some() {
                libc::kill(-pid, libc::SIGKILL);
            }
            let mut status = 0;
            let mut used: libc::rusage = mem::zeroed();
            libc::wait4(pid, &mut status, 0, &mut used);
            if let Some(slot) = slot {
                let micros = |t: libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
                let report = Report {
                    tag: EXITED,
                    value: status,
                    cpu_micros: micros(used.ru_utime) + micros(used.ru_stime),
                    peak_kib: used.ru_maxrss as u64,
                };
                tell(slot.report, &report);
                libc::close(slot.report);
                *slot = FREE;
            }
        }
    }
}

/// SAFETY: as [`tend`].
unsafe fn tell(fd: RawFd, report: &Report) {
    // SAFETY: the struct is valid for reading; the write is smaller than PIPE_BUF, so it is whole or nothing.
    unsafe { libc::write(fd, ptr::from_ref(report).cast(), Report::SIZE) };
}

/// Handles one request; false when smelt is gone.
///
/// SAFETY: as [`tend`].
unsafe fn serve(socket: RawFd, slots: &mut [Slot; SLOTS]) -> bool {
    // SAFETY: all pointers are to live stack values; `control` is aligned and big enough for FDS descriptors.
    unsafe {
        let mut request = EMPTY;
        let mut part =
            libc::iovec { iov_base: ptr::from_mut(&mut request).cast(), iov_len: mem::size_of::<Request>() };
        let mut control = [0_u64; 8];
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = mem::size_of_val(&control) as _;
        let got = libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT);
        if got < 0 {
            return matches!(*libc::__errno_location(), libc::EINTR | libc::EAGAIN);
        }
        if got == 0 {
            return false;
        }
        if request.op == STOP {
            if let Some(slot) = slots.iter_mut().find(|s| s.id == request.id && s.pid != 0) {
                if request.grace_millis == 0 {
                    libc::kill(-slot.pid, libc::SIGKILL);
                } else {
                    libc::kill(-slot.pid, libc::SIGTERM);
                    slot.kill_at = slot.kill_at.min(millis() + u64::from(request.grace_millis));
                }
            }
            return true;
        }
        let header = libc::CMSG_FIRSTHDR(&message);
        if header.is_null() {
            return true;
        }
        let mut fds = [-1; FDS];
        ptr::copy_nonoverlapping(
            libc::CMSG_DATA(header),
            fds.as_mut_ptr().cast::<u8>(),
            mem::size_of_val(&fds).min((*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize),
        );
        let [stdin, stdout, stderr, report, image] = fds;
        let failed = |errno| Report { tag: FAILED, value: errno, cpu_micros: 0, peak_kib: 0 };
        let mut kept = false;
        match slots.iter_mut().find(|s| s.pid == 0) {
            None => tell(report, &failed(libc::EAGAIN)),
            Some(slot) => {
                let parent = libc::getpid();
                match libc::fork() {
                    -1 => tell(report, &failed(*libc::__errno_location())),
                    0 => execute(&request, [stdin, stdout, stderr], report, image, parent),
                    pid => {
                        libc::setpgid(pid, pid);
                        *slot = Slot { pid, report, id: request.id, kill_at: u64::MAX };
                        tell(report, &Report { tag: STARTED, value: pid, cpu_micros: 0, peak_kib: 0 });
                        kept = true;
                    }
                }
            }
        }
        for fd in [stdin, stdout, stderr, image] {
            libc::close(fd);
        }
        if !kept {
            libc::close(report);
        }
        true
    }
}

/// Becomes the program.
///
/// SAFETY: call only in the child the nursery just forked; never returns.
unsafe fn execute(request: &Request, stdio: [RawFd; 3], report: RawFd, image: RawFd, parent: i32) -> ! {
    // SAFETY: the image was laid out by `Image::new`: `count` words, each 0 or an offset into the mapping.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() != parent {
            libc::_exit(127);
        }
        for (target, fd) in stdio.into_iter().enumerate() {
            libc::dup2(fd, target as RawFd);
        }
        let bound = |resource, soft: u64, hard: u64| {
            let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            libc::setrlimit(resource, &limit);
        };
        bound(libc::RLIMIT_CORE, 0, 0);
        if request.address_space != 0 {
            bound(libc::RLIMIT_AS, request.address_space, request.address_space);
        }
        if request.cpu_seconds != 0 {
            bound(libc::RLIMIT_CPU, request.cpu_seconds, request.cpu_seconds + 1);
        }
        if request.file_size != 0 {
            bound(libc::RLIMIT_FSIZE, request.file_size, request.file_size);
        }
        let mut none: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let size = request.image_size as usize;
        let base = libc::mmap(ptr::null_mut(), size, protection, libc::MAP_PRIVATE, image, 0);
        if base != libc::MAP_FAILED {
            let table = base.cast::<usize>();
            let count = request.argc as usize + request.envc as usize + 3;
            for i in 0..count {
                let word = table.add(i);
                if *word != 0 {
                    *word += base as usize;
                }
            }
            let program = *table as *const libc::c_char;
            libc::execve(program, table.add(1).cast(), table.add(request.argc as usize + 2).cast());
        }
        let errno = *libc::__errno_location();
        tell(report, &Report { tag: FAILED, value: errno, cpu_micros: 0, peak_kib: 0 });
        libc::_exit(127)
    }
}

/// Kills orphans: children of the nursery that it did not start and that are in no live solver's group. Tells
/// whether it found one, for their death can orphan more.
///
/// SAFETY: as [`tend`].
unsafe fn sweep(slots: &[Slot; SLOTS]) -> bool {
    let mut found = false;
    // SAFETY: `getdents64` fills `buffer` with records whose lengths it states; reads stay below the count it
    // returned. All else is system calls on stack buffers.
    unsafe {
        let me = libc::getpid();
        let proc = libc::open(c"/proc".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC);
        let mut buffer = [0_u64; 1024];
        loop {
            let bytes = mem::size_of_val(&buffer);
            let got = libc::syscall(libc::SYS_getdents64, proc, buffer.as_mut_ptr(), bytes);
            if got <= 0 {
                break;
            }
            let mut at = 0;
            while at < got as usize {
                let entry = buffer.as_ptr().cast::<u8>().add(at);
                at += usize::from(entry.add(16).cast::<u16>().read_unaligned());
                let name = CStr::from_ptr(entry.add(19).cast());
                let Some(pid) = number(name.to_bytes()) else { continue };
                let Some((parent, group)) = family(proc, name.to_bytes()) else { continue };
                let ours = |s: &Slot| s.pid != 0 && (s.pid == pid || s.pid == group);
                if parent == me && !slots.iter().any(ours) {
                    libc::kill(pid, libc::SIGKILL);
                    found = true;
                }
            }
        }
        libc::close(proc);
    }
    found
}

fn number(digits: &[u8]) -> Option<i32> {
    let mut value = 0_i32;
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        value = value.checked_mul(10)?.checked_add(i32::from(digit))?;
    }
    (!digits.is_empty()).then_some(value)
}

/// Parent and group of a process, from `/proc/PID/stat`; `None` if it is gone or a zombie.
///
/// SAFETY: as [`tend`]; `proc` is a descriptor of `/proc`.
unsafe fn family(proc: RawFd, pid: &[u8]) -> Option<(i32, i32)> {
    let mut path = [0_u8; 32];
    path.get_mut(..pid.len())?.copy_from_slice(pid);
    path.get_mut(pid.len()..pid.len() + 5)?.copy_from_slice(b"/stat");
    let mut text = [0_u8; 256];
    // SAFETY: `path` is zero-terminated, `text` valid for its length.
    let got = unsafe {
        let fd = libc::openat(proc, path.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC);
        let got = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        usize::try_from(got).ok()?
    };
    let text = text.get(..got)?;
    let name_end = text.iter().rposition(|b| *b == b')')?;
    let mut fields = text.get(name_end + 2..)?.split(|b| *b == b' ');
    if fields.next()? == b"Z" {
        return None;
    }
    Some((number(fields.next()?)?, number(fields.next()?)?))
}

/// smelt is gone: kills until no descendant is left, then exits.
///
/// SAFETY: as [`tend`].
unsafe fn bury_all(slots: &mut [Slot; SLOTS]) -> ! {
    // SAFETY: system calls on stack values.
    unsafe {
        for slot in slots.iter_mut().filter(|s| s.pid != 0) {
            libc::kill(-slot.pid, libc::SIGKILL);
            libc::close(slot.report);
            slot.pid = 0;
        }
        loop {
            sweep(slots);
            loop {
                match libc::waitpid(-1, ptr::null_mut(), libc::WNOHANG) {
                    0 => break,
                    -1 if *libc::__errno_location() == libc::ECHILD => libc::_exit(0),
                    _ => {}
                }
            }
            libc::usleep(1000);
        }
    }
}
