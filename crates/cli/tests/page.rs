//! `smelt report` and `smelt serve` from the outside: pages of a small campaign on the built-in solver with a planted fault.

use crate::common::{Folder, stderr, stdout};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A folder with a campaign that has bugs; the seed has the name of an attack.
fn campaign(name: &str) -> Folder {
    let seed = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (= (bvudiv x #x0) #xf))(check-sat)";
    let folder = Folder::new(name).with("<img src=x onerror=alert(1)>.smt2", seed);
    let out = folder.smelt(&[
        "fuzz",
        "<img src=x onerror=alert(1)>.smt2",
        "-S",
        "builtin",
        "-S",
        "builtin:bvudiv-zero",
        "-s",
        "operator,shuffle",
        "--tests",
        "60",
        "--seed",
        "1",
        "-j",
        "1",
        "--out",
        "c",
    ]);
    assert_eq!(out.status.code(), Some(10), "{}", stderr(&out));
    folder
}

#[test]
fn a_campaign_becomes_pages() {
    let folder = campaign("report");
    let out = folder.smelt(&["report", "c"]);
    assert_eq!((out.status.code(), stdout(&out).trim()), (Some(0), "c/index.html"), "{}", stderr(&out));
    let index = std::fs::read_to_string(folder.0.join("c/index.html")).unwrap();
    assert!(index.contains("in builtin:bvudiv-zero") && index.contains("smelt fuzz"), "{index}");
    // A page of a bug that is no more goes; a file of the user stays.
    for name in ["999.html", "notes.html"] {
        std::fs::write(folder.0.join("c/bugs").join(name), "old").unwrap();
    }
    assert_eq!(folder.smelt(&["report", "c"]).status.code(), Some(0));
    assert!(!folder.0.join("c/bugs/999.html").exists() && folder.0.join("c/bugs/notes.html").exists());
    for page in std::fs::read_dir(folder.0.join("c/bugs")).unwrap() {
        assert!(!std::fs::read_to_string(page.unwrap().path()).unwrap().contains("<img"));
    }
}

#[test]
fn a_demo_ends_with_the_path_of_its_page() {
    let folder = Folder::new("demo");
    // Without any solver but the built-in one.
    let home = folder.0.join("home");
    std::fs::create_dir(&home).unwrap();
    let mut demo = folder.command();
    demo.args(["demo", "--time", "4s", "--out", "d"]).env("HOME", &home).env("PATH", &home);
    let out = demo.env_remove("XDG_CACHE_HOME").output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!(stdout(&out).lines().last().map(str::trim), Some("d/planted/index.html"));
    let page = std::fs::read_to_string(folder.0.join("d/planted/index.html")).unwrap();
    assert!(page.contains("<html") && page.contains("builtin"), "{page}");
}

/// A server that ends with the test.
pub(crate) struct Server(Child, String);

impl Server {
    /// smelt serves this place.
    pub(crate) fn start(mut smelt: Command, place: &str) -> Server {
        let mut child = smelt.args(["serve", place, "--port", "0"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|l| l.split('/').next()).unwrap().to_owned();
        Server(child, address)
    }

    /// The answer to a request, whose host is the server unless it names one.
    pub(crate) fn ask(&self, line: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        let host = if line.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.1) };
        write!(stream, "{line}\r\n{host}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A client that sends nothing, or a byte now and then, once held up everybody else for as long as it liked.
#[test]
fn slow_clients_do_not_hold_up_a_server() {
    let folder = campaign("slow");
    let server = Server::start(folder.command(), "c");
    let mut slow: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(&server.1).unwrap()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HT").unwrap());
    for _ in 0..4 {
        assert!(server.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200 OK"));
        // They are still there, and waited for.
        for stream in &mut slow {
            stream.set_nonblocking(true).unwrap();
            let read = stream.read(&mut [0]);
            assert_eq!(read.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
        }
    }
    // More of them than the server has room for are given up, however slowly they continue.
    let mut many: Vec<TcpStream> = (0..24).map(|_| TcpStream::connect(&server.1).unwrap()).collect();
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                many.iter_mut().for_each(|stream| drop(stream.write_all(b"G")));
                std::thread::sleep(std::time::Duration::from_millis(300));
            }
        });
        assert!(server.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200 OK"));
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_server_gives_its_pages_and_nothing_else() {
    let folder = campaign("serve");
    let server = Server::start(folder.command(), "c");
    assert!(server.1.starts_with("127.0.0.1:"), "{}", server.1);
    let index = server.ask("GET / HTTP/1.1");
    assert!(
        index.starts_with("HTTP/1.1 200 OK") && index.contains("ETag:") && index.ends_with("</html>\n"),
        "{index}"
    );
    let bug = index.split("href=\"bugs/").nth(1).and_then(|p| p.split('"').next()).unwrap();
    let page = server.ask(&format!("GET /bugs/{bug} HTTP/1.1"));
    assert!(page.contains("Why it is wrong"), "{page}");
    let script = page.split("href=\"../findings/").nth(1).and_then(|p| p.split('"').next()).unwrap();
    assert!(server.ask(&format!("GET /findings/{script} HTTP/1.1")).contains("check-sat"));
    for path in [
        "/../<img src=x onerror=alert(1)>.smt2",
        "/%2e%2e/etc/passwd",
        "/../../etc/passwd",
        "//etc/passwd",
        "/campaign.sqlite",
        "/bugs/",
        "/findings/",
        "/findings/1/../../campaign.sqlite",
        "/lock",
    ] {
        let answer = server.ask(&format!("GET {} HTTP/1.1", path.replace(' ', "%20")));
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
    assert!(server.ask("POST / HTTP/1.1").starts_with("HTTP/1.1 405"));
    assert!(server.ask("nonsense").starts_with("HTTP/1.1 400"));
    assert!(server.ask("GET / HTTP/1.1\r\nHost: example.org").starts_with("HTTP/1.1 403"));
    let head = server.ask("HEAD / HTTP/1.1");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
}

/// Sorts and filters the table of bugs, and writes into the page what it sees.
const PROBE: &str = "<script>addEventListener('pageshow', () => {\
    const ids = () => Array.from(document.querySelectorAll('#bug-table tbody tr')).filter(r => !r.hidden)\
        .map(r => r.cells[0].textContent).join(' ');\
    const by = name => Array.from(document.querySelectorAll('#bug-table th button')).find(b => b.textContent === name);\
    const seen = [ids()];\
    by('bug').click(); seen.push(ids()); by('bug').click(); seen.push(ids());\
    const input = document.querySelector('form.filter input');\
    input.value = 'no such words'; input.dispatchEvent(new Event('input', {bubbles: true})); seen.push(ids());\
    const page = document.documentElement;\
    document.body.dataset.fits = page.scrollWidth <= page.clientWidth;\
    document.body.dataset.seen = seen.join('|');\
});</script></body>";

#[test]
#[ignore = "needs chromium"]
fn a_browser_sorts_and_filters_without_complaint() {
    let folder = campaign("browser");
    assert_eq!(folder.smelt(&["report", "c"]).status.code(), Some(0));
    let index = std::fs::read_to_string(folder.0.join("c/index.html")).unwrap();
    // The policy lets no other script run: the probe needs another one.
    let (before, rest) = index.split_once("script-src ").unwrap();
    let (_, after) = rest.split_once(';').unwrap();
    let open = format!("{before}script-src 'unsafe-inline';{after}");
    folder.file("c/probe.html", &open.replace("</body>", PROBE));
    for (width, scheme) in [("1280,900", "light"), ("390,844", "dark")] {
        let (errors, _) = browse(&folder, "c/index.html", width, scheme);
        assert!(!errors.contains("CONSOLE"), "{errors}");
        let (errors, dom) = browse(&folder, "c/probe.html", width, scheme);
        assert!(!errors.contains("CONSOLE"), "{errors}");
        assert!(dom.contains("data-fits=\"true\""), "{width}: something is wider than the page");
        let seen =
            dom.split("data-seen=\"").nth(1).and_then(|p| p.split('"').next()).expect("the page was probed");
        let seen: Vec<&str> = seen.split('|').collect();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut reversed = words(seen[1]);
        reversed.reverse();
        assert_eq!((words(seen[2]), seen[3]), (reversed, ""), "{seen:?}");
        assert!(!seen[0].is_empty(), "{seen:?}");
    }
}

/// What a browser says of a page, and the page as it is then.
fn browse(folder: &Folder, page: &str, size: &str, scheme: &str) -> (String, String) {
    let out = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--log-level=0", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path(&format!("profile-{scheme}"))))
        .arg(format!("--window-size={size}"))
        .arg(format!("--blink-settings=preferredColorScheme={}", if scheme == "dark" { 0 } else { 1 }))
        .arg(format!("file://{}", folder.path(page)))
        .output()
        .unwrap();
    (stderr(&out), stdout(&out))
}
