//! The nursery's own side: the process after the fork, which starts, reaps and kills.
//!
//! This is a copy of a possibly multi-threaded process, so everything up to `execve` uses system calls on fixed
//! buffers only: no allocation, no locks, no panics.

use super::{EXITED, FAILED, Order, Report, STARTED, STOP};
use std::{
    ffi::CStr,
    mem::{self, MaybeUninit},
    os::fd::RawFd,
    ptr,
};

/// stdin, stdout, stderr, report, image, fence: the descriptors that travel with a spawn request; the last one is not
/// always there.
pub(super) const FDS: usize = 6;
/// How many processes can live at once.
const SLOTS: usize = 1024;

#[derive(Clone, Copy)]
struct Slot {
    pid: libc::pid_t,
    report: RawFd,
    id: u64,
    kill_at: u64,
}

const FREE: Slot = Slot { pid: 0, report: -1, id: 0, kill_at: u64::MAX };
/// The shortest time between two searches for orphans, because each reads all of `/proc`.
const SWEEP_MILLIS: u64 = 50;

/// Runs the nursery until smelt is gone.
///
/// SAFETY: call only in a freshly forked child; never returns.
pub(super) unsafe fn run(socket: RawFd) -> ! {
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
        // Whether a process died since the last sweep: it may have left orphans.
        let mut orphans = false;
        let mut swept = 0;
        loop {
            let now = millis();
            let mut wake = if orphans { swept + SWEEP_MILLIS } else { u64::MAX };
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
            orphans |= reap(&mut slots);
            if polled[0].revents != 0 && !handle_request(socket, &mut slots) {
                kill_all_and_exit(&mut slots);
            }
            let now = millis();
            for slot in slots.iter_mut().filter(|s| s.kill_at <= now) {
                libc::kill(-slot.pid, libc::SIGKILL);
                slot.kill_at = u64::MAX;
            }
            if orphans && now >= swept + SWEEP_MILLIS {
                orphans = kill_orphans(&slots);
                swept = now;
            }
        }
    }
}

/// SAFETY: as [`run`].
unsafe fn millis() -> u64 {
    // SAFETY: `time` is valid for writing.
    unsafe {
        let mut time: libc::timespec = mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time);
        time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
    }
}

/// Reaps every ended child; true if there was one.
///
/// A process that the nursery started is not reaped before its group is killed: until then its id cannot be reused.
///
/// SAFETY: as [`run`].
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
                send_report(slot.report, &report);
                libc::close(slot.report);
                *slot = FREE;
            }
        }
    }
}

/// SAFETY: as [`run`].
unsafe fn send_report(fd: RawFd, report: &Report) {
    // SAFETY: the struct is valid for reading; the write is smaller than PIPE_BUF, so it is whole or nothing.
    unsafe { libc::write(fd, ptr::from_ref(report).cast(), Report::SIZE) };
}

/// Handles one request; false when smelt is gone.
///
/// SAFETY: as [`run`].
unsafe fn handle_request(socket: RawFd, slots: &mut [Slot; SLOTS]) -> bool {
    // SAFETY: all pointers are to live stack values; `control` is aligned and big enough for FDS descriptors.
    unsafe {
        let mut request = Order::default();
        let mut part =
            libc::iovec { iov_base: ptr::from_mut(&mut request).cast(), iov_len: mem::size_of::<Order>() };
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
        let [stdin, stdout, stderr, report, image, fence] = fds;
        let failed = |errno| Report { tag: FAILED, value: errno, ..Report::default() };
        let mut kept = false;
        match slots.iter_mut().find(|s| s.pid == 0) {
            None => send_report(report, &failed(libc::EAGAIN)),
            Some(slot) => {
                let parent = libc::getpid();
                match libc::fork() {
                    -1 => send_report(report, &failed(*libc::__errno_location())),
                    0 => execute(&request, [stdin, stdout, stderr], report, [image, fence], parent),
                    pid => {
                        libc::setpgid(pid, pid);
                        *slot = Slot { pid, report, id: request.id, kill_at: u64::MAX };
                        send_report(report, &Report { tag: STARTED, value: pid, ..Report::default() });
                        kept = true;
                    }
                }
            }
        }
        for fd in [stdin, stdout, stderr, image, fence] {
            libc::close(fd);
        }
        if !kept {
            libc::close(report);
        }
        true
    }
}

/// Turns this child into the program.
///
/// SAFETY: call only in the child the nursery just forked; never returns.
unsafe fn execute(
    request: &Order,
    stdio: [RawFd; 3],
    report: RawFd,
    [image, fence]: [RawFd; 2],
    parent: i32,
) -> ! {
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
        let limits = request.limits;
        if limits.cpu_seconds != 0 {
            bound(libc::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
        }
        if limits.file_size != 0 {
            bound(libc::RLIMIT_FSIZE, limits.file_size, limits.file_size);
        }
        let mut none: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let size = request.image_size as usize;
        let base = libc::mmap(ptr::null_mut(), size, protection, libc::MAP_PRIVATE, image, 0);
        if base != libc::MAP_FAILED && (request.fenced == 0 || enclose(fence)) {
            let table = base.cast::<usize>();
            let count = request.argc as usize + request.envc as usize + 3;
            for i in 0..count {
                let word = table.add(i);
                if *word != 0 {
                    *word += base as usize;
                }
            }
            let program = *table as *const libc::c_char;
            // Last: this process is as large as smelt was when it forked the nursery, and could map nothing more.
            if limits.address_space != 0 {
                bound(libc::RLIMIT_AS, limits.address_space, limits.address_space);
            }
            libc::execve(program, table.add(1).cast(), table.add(request.argc as usize + 2).cast());
        }
        let errno = *libc::__errno_location();
        send_report(report, &Report { tag: FAILED, value: errno, ..Report::default() });
        libc::_exit(127)
    }
}

/// Puts this process behind a fence; false if the kernel refuses.
///
/// SAFETY: as [`execute`].
unsafe fn enclose(fence: RawFd) -> bool {
    // SAFETY: system calls on numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::syscall(libc::SYS_landlock_restrict_self, fence, 0) == 0
    }
}

/// Kills orphans: children of the nursery that it did not start and that are in no live solver's group. True if it
/// found one, because its death can orphan more.
///
/// SAFETY: as [`run`].
unsafe fn kill_orphans(slots: &[Slot; SLOTS]) -> bool {
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
                let Some((parent, group)) = parent_and_group(proc, name.to_bytes()) else { continue };
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
/// SAFETY: as [`run`]; `proc` is a descriptor of `/proc`.
unsafe fn parent_and_group(proc: RawFd, pid: &[u8]) -> Option<(i32, i32)> {
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
/// SAFETY: as [`run`].
unsafe fn kill_all_and_exit(slots: &mut [Slot; SLOTS]) -> ! {
    // SAFETY: system calls on stack values.
    unsafe {
        for slot in slots.iter_mut().filter(|s| s.pid != 0) {
            libc::kill(-slot.pid, libc::SIGKILL);
            libc::close(slot.report);
            slot.pid = 0;
        }
        loop {
            kill_orphans(slots);
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
