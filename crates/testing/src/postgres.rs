//! A PostgreSQL server for one test: in a temporary folder, on a socket in it, removed after the test.

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A server. It ends when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    /// Further options of the server.
    options: String,
    port: u16,
}

impl Cluster {
    /// Makes and starts a server.
    pub fn start() -> Cluster {
        Cluster::with(String::new(), 5432)
    }

    /// Makes and starts a server that counts the statements of users.
    pub fn counting() -> Cluster {
        let options = "-c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.save=off";
        let cluster = Cluster::with(options.to_owned(), 5432);
        cluster.sql("CREATE EXTENSION pg_stat_statements");
        cluster
    }

    /// How many statements this user has run since the server started, those that begin and end transactions included.
    pub fn statements(&self, user: &str) -> u64 {
        let sql = format!(
            "SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
             WHERE rolname = '{user}'"
        );
        self.sql(&sql).parse().expect("a number")
    }

    /// Makes and starts a server that also takes TLS on a port of this machine, with a certificate of the authority
    /// `authority.pem`.
    pub fn secure() -> Cluster {
        Cluster::with_certificate(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout authority.key -out authority.pem
             openssl req -new -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out request.pem
             echo subjectAltName=DNS:localhost > extensions
             openssl x509 -req -days 2 -in request.pem -CA authority.pem -CAkey authority.key -CAcreateserial \\
                 -extfile extensions -out certificate.pem",
        )
    }

    /// The same with a certificate that signs itself.
    pub fn self_signed() -> Cluster {
        Cluster::with_certificate(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
                 -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem",
        )
    }

    /// The commands make `key.pem` and `certificate.pem`.
    fn with_certificate(commands: &str) -> Cluster {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
        let mut cluster = Cluster::with(String::new(), 5432);
        cluster.stop();
        let script = format!("set -e; umask 077; {commands}\nchmod 644 *.pem; chmod 600 key.pem");
        cluster.run_program(Path::new("sh"), &["-c", &script]);
        cluster.port = free.expect("a free port").port();
        let file = |name: &str| cluster.folder.join(name).display().to_string();
        cluster.options = format!(
            "-c port={} -c listen_addresses=127.0.0.1 -c ssl=on -c ssl_key_file={} -c ssl_cert_file={}",
            cluster.port,
            file("key.pem"),
            file("certificate.pem")
        );
        cluster.run_server();
        cluster
    }

    /// The address of its database over the network, for this user; see [`Cluster::secure`].
    pub fn network_url(&self, user: &str) -> String {
        format!("postgres://{user}@localhost:{}/postgres", self.port)
    }

    fn with(options: String, port: u16) -> Cluster {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("smelt-pg-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        if is_root() {
            // The server refuses to run as root.
            let id = Command::new("id").args(["-u", "nobody"]).output().expect("id runs");
            let id = String::from_utf8_lossy(&id.stdout).trim().parse().expect("a number");
            chown(&folder, Some(id), None).expect("root may give a folder away");
        }
        let cluster = Cluster { folder, programs: programs(), options, port };
        let data = cluster.folder.join("data");
        cluster.run("initdb", &["-D", path(&data), "-A", "trust", "-U", "smelt", "-E", "UTF8", "--no-sync"]);
        cluster.run_server();
        cluster
    }

    /// Starts the server again after [`Cluster::stop`].
    pub fn run_server(&self) {
        let data = self.folder.join("data");
        let log = self.folder.join("log");
        let options = format!(
            "-k {} -c listen_addresses= -c fsync=off -c full_page_writes=off -c shared_buffers=64MB -c max_connections=100 {}",
            path(&self.folder),
            self.options
        );
        self.run(
            "pg_ctl",
            &["-D", path(&data), "-l", path(&log), "-w", "-t", "300", "-o", &options, "start"],
        );
    }

    /// Stops the server at once; connections break.
    pub fn stop(&self) {
        let data = self.folder.join("data");
        self.run("pg_ctl", &["-D", path(&data), "-m", "fast", "-w", "-t", "300", "stop"]);
    }

    /// Stops all its processes where they are: connections stay open, and nothing is answered. Until [`Cluster::thaw`].
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets it continue.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let file =
            std::fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("a running server");
        let server = file.lines().next().unwrap_or_default();
        let script = format!("kill -{name} {server}; pkill -{name} -P {server}");
        let done = Command::new("sh").args(["-c", &script]).status().expect("a shell");
        assert!(done.success(), "{script}");
    }

    /// The address of its database, for this user.
    pub fn url(&self, user: &str) -> String {
        format!("postgres://{user}@{}/postgres", path(&self.folder).replace('/', "%2F"))
    }

    /// Runs SQL as its owner; what it prints, fields with `|` between them.
    pub fn sql(&self, sql: &str) -> String {
        let folder = path(&self.folder);
        let mut command = Command::new(self.programs.join("psql"));
        let port = self.port.to_string();
        command.args([
            "-p",
            &port,
            "-h",
            folder,
            "-U",
            "smelt",
            "-d",
            "postgres",
            "-v",
            "ON_ERROR_STOP=1",
            "-Atc",
            sql,
        ]);
        let output = command.output().expect("psql runs");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A folder that everyone may read.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        self.run_program(&self.programs.join(program), arguments);
    }

    fn run_program(&self, program: &Path, arguments: &[&str]) {
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=nobody", "--clear-groups", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).current_dir(&self.folder).env("LC_ALL", "C").stdin(Stdio::null());
        // The server inherits what pg_ctl has: a pipe would never end.
        let told = std::fs::File::create(self.folder.join("told")).expect("a file in a new folder");
        let both = (told.try_clone().expect("a second handle"), told);
        let status = command.stdout(both.0).stderr(both.1).status().expect("the program starts");
        let told = std::fs::read_to_string(self.folder.join("told")).unwrap_or_default();
        assert!(status.success(), "{program:?} {arguments:?}: {told}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.folder.join("data/postmaster.pid").is_file() {
            self.stop();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn path(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id runs");
    id.stdout.starts_with(b"0")
}

/// The folder of the server's programs: the newest that Debian has, or the one on PATH.
fn programs() -> PathBuf {
    let releases = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = releases.map(|r| r.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").is_file());
    let version = |f: &PathBuf| {
        let name = f.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
        name.and_then(|n| n.parse::<f64>().ok()).map_or(0, |v| (v * 10.0) as u64)
    };
    folders.sort_by_key(version);
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file())
    };
    folders.pop().or_else(on_path).expect("`needs postgresql` was met")
}
