//! `smelt serve`: serves the pages of a folder live, on this machine only.
//!
//! The server is made for one person and a few requests per second: one request per connection, a few connections
//! at a time. It knows only the paths of its pages and of the files that they link to; it never turns a request
//! into a path of the file system.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use smelt_solvers::Profiles;

use super::report;
use crate::exit::{Exit, Failure};
use crate::{setup, units};

/// Serve live report pages locally
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of a campaign, a study or an `evolve` run; default: the latest campaign here
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Port; 0 for any free one
    #[arg(long, value_name = "N", default_value_t = 8017, value_parser = units::port)]
    port: u16,
    #[command(flatten)]
    config: setup::Config,
}

/// Pages are made again at most this often.
const FRESH: Duration = Duration::from_secs(3);
/// A request that takes longer to arrive as a whole, or an answer that takes longer to be taken, is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// This many connections are answered at a time: a browser opens six. The next one waits.
const CONNECTIONS: usize = 16;
/// How often it looks for a new connection.
const PAUSE: Duration = Duration::from_millis(20);
/// The most bytes of a request.
const REQUEST: u64 = 16 * 1024;

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let folder = report::folder(a.dir.as_deref());
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let shelf = Shelf::new(folder, catalog.profiles())?;
    let failed = |e: std::io::Error| {
        Failure::usage(format!(
            "cannot listen on port {}: {e}; choose another with --port, or 0 for any free one",
            a.port
        ))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, a.port)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let stop = setup::on_interrupt()?;
    writeln!(
        std::io::stdout(),
        "http://127.0.0.1:{port}/ serves {} (Ctrl-C to stop)",
        shelf.folder.display()
    )?;
    let (shelf, busy) = (&Mutex::new(shelf), &AtomicUsize::new(0));
    std::thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            if busy.load(Ordering::Acquire) >= CONNECTIONS {
                std::thread::sleep(PAUSE);
                continue;
            }
            match listener.accept() {
                Ok((stream, _)) => {
                    busy.fetch_add(1, Ordering::AcqRel);
                    scope.spawn(move || {
                        // A browser that closes the connection is not a failure.
                        drop(answer(&stream, shelf, port));
                        busy.fetch_sub(1, Ordering::AcqRel);
                    });
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(Exit::Ok)
    })
}

/// The head of a reply with text.
const PLAIN: [(&str, &str); 1] = [("Content-Type", "text/plain; charset=utf-8")];

/// What can be asked for.
#[derive(Clone)]
enum Item {
    /// A page, with the tag of its content.
    Page(String, Arc<str>),
    /// A script.
    Script(Arc<str>),
    /// A file of a folder.
    File(Arc<Path>, String),
}

/// The pages of a folder, made again when they are old.
struct Shelf<'a> {
    folder: PathBuf,
    profiles: &'a Profiles,
    items: BTreeMap<String, Item>,
    made: Instant,
    /// How long it took to make them.
    cost: Duration,
}

impl<'a> Shelf<'a> {
    fn new(folder: PathBuf, profiles: &'a Profiles) -> Result<Shelf<'a>, Failure> {
        let mut shelf =
            Shelf { folder, profiles, items: BTreeMap::new(), made: Instant::now(), cost: Duration::ZERO };
        shelf.fill()?;
        Ok(shelf)
    }

    fn fill(&mut self) -> Result<(), Failure> {
        let started = Instant::now();
        let site = report::site(&self.folder, self.profiles)?;
        let page = |(path, text): (String, String)| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            (format!("/{path}"), Item::Page(format!("\"{:016x}\"", hasher.finish()), text.into()))
        };
        let local: Arc<Path> = report::local(&self.folder)?.into();
        // The commands on the pages name these files. A read-only folder is served anyway.
        for (path, text) in &site.scripts {
            if let Ok(file) = smelt_store::inside(&local, path) {
                let _ = crate::output::write(&file, text);
            }
        }
        let file = |path: String| (format!("/{path}"), Item::File(local.clone(), path));
        let script = |(path, text): (String, String)| (format!("/{path}"), Item::Script(text.into()));
        let files = site.files.into_iter().map(file).chain(site.scripts.into_iter().map(script));
        self.items = files.chain(site.pages.into_iter().map(page)).collect();
        self.made = Instant::now();
        self.cost = started.elapsed();
        Ok(())
    }

    /// An item by the path of a request. Old pages are made again; if that fails, the old ones stay.
    fn get(&mut self, path: &str) -> Option<Item> {
        if self.made.elapsed() > FRESH.max(self.cost * 4) {
            let _ = self.fill();
        }
        self.items.get(if path == "/" { "/index.html" } else { path }).cloned()
    }
}

/// Reads one request and answers it.
fn answer(stream: &TcpStream, shelf: &Mutex<Shelf<'_>>, port: u16) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    let request = read_request(Patient { stream, until: Instant::now() + PATIENCE })?;
    let until = Instant::now() + PATIENCE;
    let stream = &mut Patient { stream, until };
    let Some(request) = request else {
        return reply(stream, "400 Bad Request", &[], b"not a request\n", true);
    };
    // A page of another site must not read this one through a name that leads here.
    let ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !ours.contains(&request.host) {
        return reply(stream, "403 Forbidden", &[], b"only for this machine\n", true);
    }
    let with_body = match request.method.as_str() {
        "GET" => true,
        "HEAD" => false,
        _ => return reply(stream, "405 Method Not Allowed", &[("Allow", "GET, HEAD")], b"only GET\n", true),
    };
    // A panic in the middle of making pages leaves the old ones.
    let item = shelf.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&request.path);
    // Making pages is not the time of the client.
    stream.until = Instant::now() + PATIENCE;
    match item {
        Some(Item::Page(tag, text)) => {
            let head = [("Content-Type", "text/html; charset=utf-8"), ("ETag", tag.as_str())];
            reply(stream, "200 OK", &head, text.as_bytes(), with_body)
        }
        Some(Item::Script(text)) => reply(stream, "200 OK", &PLAIN, text.as_bytes(), with_body),
        Some(Item::File(folder, name)) => match smelt_store::read_inside(&folder, &name) {
            Ok(Some(content)) => reply(stream, "200 OK", &PLAIN, &content, with_body),
            _ => reply(stream, "404 Not Found", &[], b"the file is gone\n", with_body),
        },
        None => reply(stream, "404 Not Found", &[], b"no such page\n", with_body),
    }
}

/// A connection with a deadline for all that is read or written, and not for each piece: a client that sends a byte a
/// second would hold it for hours.
struct Patient<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Patient<'_> {
    /// The time that is left.
    fn left(&self) -> std::io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, from: &[u8]) -> std::io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(from)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A request, as far as it matters.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    method: String,
    /// Decoded, without a query.
    path: String,
    host: String,
}

/// Reads the head of a request; `None` if it is not one.
fn read_request(stream: impl Read) -> std::io::Result<Option<Request>> {
    let mut lines = BufReader::new(stream.take(REQUEST)).lines();
    let first = match lines.next() {
        Some(Err(e)) if e.kind() != ErrorKind::InvalidData => return Err(e),
        Some(Ok(line)) => line,
        _ => return Ok(None),
    };
    let mut host = String::new();
    loop {
        match lines.next() {
            Some(Ok(line)) if line.is_empty() => break,
            Some(Ok(line)) => {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("host")
                {
                    // Two of them would be read in two ways.
                    if !host.is_empty() {
                        return Ok(None);
                    }
                    host = value.trim().to_owned();
                }
            }
            // Cut off, too long, or not text.
            _ => return Ok(None),
        }
    }
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Ok(None);
    };
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let known = version.starts_with("HTTP/1.") && words.next().is_none();
    Ok(decoded(path).filter(|_| known).map(|path| Request { method: method.to_owned(), path, host }))
}

/// A path without percent escapes.
fn decoded(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

fn reply(
    stream: &mut impl Write,
    status: &str,
    head: &[(&str, &str)],
    body: &[u8],
    with_body: bool,
) -> std::io::Result<()> {
    let more: String = head.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let fixed = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close";
    write!(stream, "HTTP/1.1 {status}\r\n{more}{fixed}\r\nContent-Length: {}\r\n\r\n", body.len())?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Request> {
        read_request(text.as_bytes()).unwrap()
    }

    #[test]
    fn requests_are_read_strictly() {
        let good = read("GET /bugs/1.html?x=1 HTTP/1.1\r\nHost: localhost:1\r\nX: y\r\n\r\n").unwrap();
        assert_eq!(
            (good.method.as_str(), good.path.as_str(), good.host.as_str()),
            ("GET", "/bugs/1.html", "localhost:1")
        );
        for bad in [
            "",
            "GET\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.1 x\r\n\r\n",
            "GET /%zz HTTP/1.1\r\n\r\n",
            "GET /%f HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        let endless = format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(10_000));
        assert_eq!(read(&endless), None);
        assert_eq!(decoded("/a%20b%3C").as_deref(), Some("/a b<"));
        assert_eq!(decoded("/a%\u{e9}"), None);
    }
}
