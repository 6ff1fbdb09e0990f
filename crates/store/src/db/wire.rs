//! The bytes between smelt and a PostgreSQL server, which may belong to anyone. The size of an answer is limited,
//! and no unencrypted password is sent over a connection that others can read.

use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::LARGEST_RESULT;

/// The port of PostgreSQL, where none is named.
const PORT: u16 = 5432;
/// What a client sends first if it wants TLS: its length and a number that no version has.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// The kinds of a server's messages about who we are: we are in, and it wants the password as it is.
const IN: u32 = 0;
const CLEARTEXT: u32 = 3;

/// What a server did that we do not go along with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error(
        "the server asks for an unencrypted password over a connection without TLS, so nothing was sent; use \
         sslmode=require, or add cleartext=yes to the URL if nobody else can read the connection"
    )]
    Cleartext,
    #[error("the server's answer exceeds {} MiB", LARGEST_RESULT >> 20)]
    Endless,
}

/// What is read and written: TCP or a socket of this machine.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}
impl Socket for TcpStream {}
impl Socket for UnixStream {}

/// A connection whose answers are bounded.
pub(crate) struct Wire {
    socket: Box<dyn Socket>,
    /// How many more bytes may come before the next statement.
    left: Arc<AtomicUsize>,
    /// Reads along until we are in, where that is wanted.
    watch: Option<Watch>,
}

/// Reads the server's messages along until it has let us in.
#[derive(Default)]
struct Watch {
    /// Whether we asked for TLS, and the answer, one byte, has not come.
    asked: bool,
    /// The beginning of the message that is read: tag, length and kind.
    head: Vec<u8>,
    /// How many bytes of the message are left to be passed over.
    skip: usize,
}

/// What comes of reading along.
enum Seen {
    More,
    /// Nothing more is to be watched: we are in, or all that follows is encrypted.
    Done,
    Cleartext,
}

impl Watch {
    fn read(&mut self, bytes: &[u8]) -> Seen {
        for &byte in bytes {
            if std::mem::take(&mut self.asked) {
                if byte == b'S' {
                    return Seen::Done;
                }
                continue;
            }
            if self.skip > 0 {
                self.skip -= 1;
                continue;
            }
            self.head.push(byte);
            // The length counts itself.
            let number = |at: usize| self.head[at..at + 4].iter().fold(0, |n, b| n << 8 | u32::from(*b));
            match self.head.len() {
                5 if self.head[0] != b'R' || number(1) < 8 => {
                    self.skip = (number(1) as usize).saturating_sub(4);
                    self.head.clear();
                }
                9 => {
                    match number(5) {
                        IN => return Seen::Done,
                        CLEARTEXT => return Seen::Cleartext,
                        _ => self.skip = (number(1) as usize).saturating_sub(8),
                    }
                    self.head.clear();
                }
                _ => {}
            }
        }
        Seen::More
    }
}

impl Wire {
    /// Connects to the first server of a configuration that can be reached. `cleartext`: a password may be sent as it is.
    pub(crate) async fn open(
        config: &Config,
        left: Arc<AtomicUsize>,
        cleartext: bool,
        patience: Duration,
    ) -> io::Result<(Wire, String)> {
        let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the URL names no host");
        for i in 0..hosts.len().max(addresses.len()) {
            let port = ports.get(i).or(ports.first()).copied().unwrap_or(PORT);
            let name = match hosts.get(i) {
                Some(Host::Tcp(name)) => name.clone(),
                _ => String::new(),
            };
            let opened = match (addresses.get(i), hosts.get(i)) {
                (Some(address), _) => tcp((*address, port), patience).await,
                (None, Some(Host::Tcp(name))) => tcp((name.as_str(), port), patience).await,
                (None, Some(Host::Unix(folder))) => unix(folder.join(format!(".s.PGSQL.{port}"))).await,
                (None, None) => continue,
            };
            match opened {
                Ok((socket, is_local)) => {
                    let watch = (!is_local && !cleartext).then(Watch::default);
                    return Ok((Wire { socket, left, watch }, name));
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }
}

/// A connection over TCP, and whether it stays on this machine.
async fn tcp(to: impl tokio::net::ToSocketAddrs, patience: Duration) -> io::Result<(Box<dyn Socket>, bool)> {
    let stream = TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    give_up_after(&stream, patience);
    let is_local = stream.peer_addr()?.ip().is_loopback();
    Ok((Box::new(stream), is_local))
}

async fn unix(path: PathBuf) -> io::Result<(Box<dyn Socket>, bool)> {
    Ok((Box::new(UnixStream::connect(path).await?), true))
}

/// Lets the system close a connection without replies. If it does not, the deadline of the statement does.
fn give_up_after(stream: &TcpStream, patience: Duration) {
    let milliseconds = patience.as_millis() as libc::c_int;
    let seconds = patience.as_secs() as libc::c_int;
    for (level, name, value) in [
        (libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, milliseconds),
        (libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1),
        (libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, seconds),
    ] {
        // SAFETY: the socket is open, and the value lives through the call and has the size that is given.
        unsafe {
            libc::setsockopt(
                stream.as_raw_fd(),
                level,
                name,
                (&raw const value).cast(),
                size_of_val(&value) as libc::socklen_t,
            );
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        let polled = Pin::new(&mut self.socket).poll_read(cx, to);
        if !matches!(polled, Poll::Ready(Ok(()))) {
            return polled;
        }
        let new = &to.filled()[before..];
        let seen = self.watch.as_mut().map_or(Seen::More, |watch| watch.read(new));
        let left = self.left.load(Relaxed);
        self.left.store(left.saturating_sub(new.len()), Relaxed);
        match seen {
            Seen::Cleartext => return Poll::Ready(Err(io::Error::other(Refused::Cleartext))),
            Seen::Done => self.watch = None,
            Seen::More => {}
        }
        if new.len() > left { Poll::Ready(Err(io::Error::other(Refused::Endless))) } else { polled }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(watch) = &mut self.watch {
            watch.asked |= from == TLS_REQUEST;
        }
        Pin::new(&mut self.socket).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_for_the_bare_password_is_seen_however_it_comes() {
        let wish = [&b"R"[..], &[0, 0, 0, 8], &[0, 0, 0, 3]].concat();
        let notice = [&b"N"[..], &[0, 0, 0, 7], b"abc"].concat();
        let md5 = [&b"R"[..], &[0, 0, 0, 12], &[0, 0, 0, 5], b"salt"].concat();
        for before in [Vec::new(), notice.clone(), md5.clone(), [notice, md5].concat()] {
            let all = [before, wish.clone()].concat();
            assert!(matches!(Watch::default().read(&all), Seen::Cleartext), "{all:?}");
            let mut watch = Watch::default();
            let seen = all.iter().map(|b| watch.read(&[*b])).last();
            assert!(matches!(seen, Some(Seen::Cleartext)), "{all:?}");
            // The server refuses TLS, or takes it.
            let mut asked = Watch { asked: true, ..Watch::default() };
            assert!(matches!(asked.read(&[b"N", &all[..]].concat()), Seen::Cleartext));
            let mut asked = Watch { asked: true, ..Watch::default() };
            assert!(matches!(asked.read(&[b"S", &all[..]].concat()), Seen::Done));
        }
        let mut watch = Watch::default();
        assert!(matches!(watch.read(&[&b"R"[..], &[0, 0, 0, 8], &[0, 0, 0, 0], &wish].concat()), Seen::Done));
    }

    /// A server that answers without end, and one that needs a password: neither gets what it wants.
    #[test]
    fn an_answer_without_end_takes_no_memory_without_end() {
        use std::io::Write;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let writer = std::thread::spawn(move || while far.write_all(&[b'x'; 4096]).is_ok() {});
        let (e, read) = runtime.block_on(async {
            let left = Arc::new(AtomicUsize::new(1 << 20));
            let mut wire = Wire { socket: Box::new(UnixStream::from_std(near).unwrap()), left, watch: None };
            let (mut read, mut part) = (0, vec![0; 1 << 16]);
            loop {
                let next = std::future::poll_fn(|cx| {
                    let mut to = ReadBuf::new(&mut part);
                    let polled = Pin::new(&mut wire).poll_read(cx, &mut to);
                    polled.map(|done| done.map(|()| to.filled().len()))
                });
                match next.await {
                    Ok(n) => read += n,
                    Err(e) => break (e, read),
                }
            }
        });
        assert!(e.get_ref().is_some_and(|e| e.is::<Refused>()) && read <= 1 << 20, "{e} {read}");
        writer.join().unwrap();
    }
}
