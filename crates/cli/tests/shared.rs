//! A campaign that processes share on a PostgreSQL server of the test's own, as its users see it.

use crate::books::{SOLVERS, smelt};
use crate::common::{Folder, code, stderr, stdout, wait_until};
use crate::page::Server;
use smelt_testing::Cluster;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
#[ignore = "needs postgresql"]
fn a_shared_campaign_is_read_like_a_folder_and_its_password_is_shown_nowhere() {
    let cluster = Cluster::start();
    let folder = Folder::new("shared");
    let url = cluster.url("smelt").replacen("smelt@", "smelt:s3cret@", 1);
    let place = format!("{url}#one");
    let mut fuzz = smelt(&folder, "m");
    fuzz.args(["fuzz", "--store", &place, "--tests", "300", "--seed", "5", "--no-cache", "-j", "1"])
        .args(SOLVERS);
    let fuzz = fuzz.output().unwrap();
    assert_eq!(code(&fuzz), 10, "{}{}", stdout(&fuzz), stderr(&fuzz));
    let run = |arguments: &[&str]| {
        let output = smelt(&folder, "m").args(arguments).output().unwrap();
        let told = format!("{}{}", stdout(&output), stderr(&output));
        assert!(!told.contains("s3cret"), "{arguments:?}: {told}");
        (code(&output), told)
    };
    assert!(!format!("{}{}", stdout(&fuzz), stderr(&fuzz)).contains("s3cret"));
    let (exit, bugs) = run(&["bugs", &place]);
    assert_eq!(exit, 10, "{bugs}");
    let (exit, shown) = run(&["bugs", "show", "1", &place]);
    assert_eq!(exit, 10, "{shown}");
    let (_, replayed) = run(&["replay", "1", &place]);
    assert!(replayed.contains("reproduced"), "{replayed}");
    let (exit, report) = run(&["report", &place]);
    assert_eq!(exit, 0, "{report}");
    let page = std::fs::read_to_string(report.trim()).unwrap();
    assert!(page.contains("#one") && !page.contains("s3cret"));
    let server = Server::start(smelt(&folder, "m"), &place);
    let index = server.ask("GET / HTTP/1.1");
    assert!(index.starts_with("HTTP/1.1 200 OK") && index.contains("#one") && !index.contains("s3cret"));
    let bug = index.split("href=\"bugs/").nth(1).and_then(|p| p.split('"').next()).unwrap();
    let bug = server.ask(&format!("GET /bugs/{bug} HTTP/1.1"));
    let script = bug.split("href=\"../findings/").nth(1).and_then(|p| p.split('"').next()).unwrap();
    assert!(server.ask(&format!("GET /findings/{script} HTTP/1.1")).contains("check-sat"));
    drop(server);
    // Versions are distinguished once there are two.
    assert!(!shown.contains("found by"), "{shown}");
    let (_, list) = run(&["bugs", "show", "1", &place, "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&list).unwrap()["sightings"][0]["smelt"], "0.2.0");
    cluster.sql(
        "INSERT INTO smelt_one.sightings SELECT fingerprint, '0.0.9', 'builtin@0', 1 FROM smelt_one.sightings",
    );
    let (_, shown) = run(&["bugs", "show", "1", &place]);
    assert!(shown.contains("  found by     smelt 0.0.9, builtin@0: 1 trigger\n"), "{shown}");
    let (exit, status) = run(&["status", &url]);
    assert!(exit == 0 && status.contains("300 of 300 numbers done"), "{status}");
    assert_eq!(cluster.sql("SELECT COUNT(*) FROM smelt_one.campaign WHERE value LIKE '%s3cret%'"), "0");
    let (exit, refused) = run(&["fuzz", "--store", &place, "--tests", "1", "-S", "builtin"]);
    assert!(exit == 2 && refused.contains("exists already: join it with"), "{refused}");
    let (exit, done) = run(&["join", &url, "one", "-j", "1"]);
    assert_eq!(exit, 10, "all is done: {done}");
}

/// A server that no longer answers prevents no process from leaving, and what it did not take is delivered later.
#[test]
#[ignore = "needs postgresql"]
fn an_interrupted_campaign_ends_although_its_database_is_frozen() {
    let cluster = Cluster::start();
    let folder = Folder::new("frozen");
    let url = cluster.url("smelt");
    let mut fuzz = smelt(&folder, "m");
    fuzz.args(["fuzz", "--store", &format!("{url}#one"), "--time", "10m", "--no-cache", "-j", "1"])
        .args(SOLVERS);
    fuzz.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut fuzz = fuzz.spawn().unwrap();
    wait_until(|| cluster.sql("SELECT to_regclass('smelt_one.machines')").ends_with("machines"));
    wait_until(|| cluster.sql("SELECT COALESCE(SUM(cases), 0) > 0 FROM smelt_one.machines") == "t");
    cluster.freeze();
    std::thread::sleep(Duration::from_secs(3));
    assert!(fuzz.try_wait().unwrap().is_none(), "it continues");
    let asked = Instant::now();
    assert!(Command::new("kill").args(["-INT", &fuzz.id().to_string()]).status().unwrap().success());
    wait_until(|| fuzz.try_wait().unwrap().is_some());
    // Five seconds on a machine that has nothing else to do.
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    cluster.thaw();
    let join = smelt(&folder, "m").args(["join", &url, "one", "-j", "1", "--time", "1s"]).output().unwrap();
    assert!([0, 10].contains(&code(&join)), "{}{}", stdout(&join), stderr(&join));
}

/// A file of docs/deploy, read as YAML.
fn yaml(name: &str) -> serde_json::Value {
    let file = format!("{}/../../docs/deploy/{name}", env!("CARGO_MANIFEST_DIR"));
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let output = Command::new("python3").args(["-c", read, &file]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The files of docs/deploy are what their programs can read.
#[test]
#[ignore = "needs python3, pyyaml"]
fn the_files_for_deployment_are_well_formed() {
    let compose = yaml("compose.yaml");
    let database = &compose["services"]["database"];
    assert!(database["image"].as_str().unwrap().starts_with("postgres:"));
    let volume = database["volumes"][0].as_str().unwrap().split(':').next().unwrap();
    assert!(compose["volumes"].get(volume).is_some(), "{volume}");
    let secret = database["secrets"][0].as_str().unwrap();
    assert!(compose["secrets"][secret]["file"].is_string());
    let path = format!("/run/secrets/{secret}");
    assert_eq!(database["environment"]["POSTGRES_PASSWORD_FILE"], path.as_str());
    let job = yaml("kubernetes.yaml");
    assert_eq!((&job["apiVersion"], &job["kind"]), (&"batch/v1".into(), &"Job".into()));
    assert_eq!(
        (&job["spec"]["completionMode"], &job["spec"]["completions"]),
        (&"Indexed".into(), &16.into())
    );
    let pod = &job["spec"]["template"]["spec"];
    let mounted = &pod["containers"][0]["volumeMounts"][0]["name"];
    assert!(mounted.is_string() && pod["volumes"][0]["name"] == *mounted);
}

/// Without Docker: its instructions are known ones, and what they name is there.
#[test]
fn the_dockerfile_names_what_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let text = std::fs::read_to_string(format!("{root}/docs/deploy/Dockerfile")).unwrap();
    let lines: Vec<(&str, &str)> = text
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| l.split_once(' ').unwrap())
        .collect();
    let known = ["FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT"];
    assert!(lines.iter().all(|(word, _)| known.contains(word)), "{lines:?}");
    let of = |word: &str| lines.iter().filter(move |l| l.0 == word).map(|l| l.1).collect::<Vec<_>>();
    let stage = of("FROM")[0].split(" AS ").nth(1).unwrap();
    let copied = of("COPY")[1];
    let profile = "--locked --profile dist --features tls";
    assert!(copied.starts_with(&format!("--from={stage} /src/target/dist/smelt ")), "{copied}");
    assert!(of("RUN").contains(&format!("cargo build {profile}").as_str()));
    let workspace = std::fs::read_to_string(format!("{root}/Cargo.toml")).unwrap();
    let package = std::fs::read_to_string(format!("{root}/crates/cli/Cargo.toml")).unwrap();
    assert!(workspace.contains("[profile.dist]") && package.contains("\ntls = "));
    assert_ne!(of("USER"), ["root"]);
    assert_eq!(serde_json::from_str::<Vec<String>>(of("ENTRYPOINT")[0]).unwrap(), ["smelt"]);
    for script in of("RUN") {
        let output = Command::new("sh").args(["-n", "-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", stderr(&output));
    }
}

/// The shell of the Kubernetes job passes on how smelt ended, and that it should end.
#[test]
#[ignore = "needs python3, pyyaml"]
fn a_pod_that_is_stopped_lets_smelt_leave() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deploy/kubernetes.yaml");
    let read = "import sys, yaml; job = yaml.safe_load(open(sys.argv[1])); \
                print(job['spec']['template']['spec']['containers'][0]['command'][2])";
    let script = Command::new("python3").args(["-c", read, file]).output().unwrap();
    assert!(script.status.success(), "{}", stderr(&script));
    let folder = Folder::new("pod");
    folder.program(
        "smelt",
        "trap 'echo left >> told; exit 10' TERM\necho \"$@\" > told\n\
         [ \"$WAIT\" ] || exit \"$CODE\"\nwhile :; do sleep 0.05; done",
    );
    let told = || std::fs::read_to_string(folder.path("told")).unwrap_or_default();
    let pod = |name: &str, value: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &stdout(&script)]).current_dir(&folder.0).env("DATABASE", "postgres://w@h/d");
        shell.env("PATH", format!("{}:/usr/bin:/bin", folder.0.display())).env(name, value);
        shell
    };
    for (code, expected) in [("10", 0), ("0", 0), ("2", 2)] {
        let status = pod("CODE", code).status().unwrap();
        assert_eq!(status.code(), Some(expected), "smelt ended with {code}");
        assert_eq!(told().trim(), "join postgres://w@h/d nightly -j 4 --time 6h");
    }
    std::fs::remove_file(folder.path("told")).unwrap();
    let mut stopped = pod("WAIT", "yes").spawn().unwrap();
    wait_until(|| told().contains("join"));
    assert!(Command::new("kill").arg(stopped.id().to_string()).status().unwrap().success());
    assert_eq!(stopped.wait().unwrap().code(), Some(0));
    assert!(told().contains("left"));
}

/// systemd understands the unit.
#[test]
#[ignore = "needs systemd-analyze"]
fn the_unit_is_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deploy/smelt-join.service");
    let folder = Folder::new("unit");
    let program = env!("CARGO_BIN_EXE_smelt");
    let unit = std::fs::read_to_string(file).unwrap().replace("/usr/local/bin/smelt", program);
    let unit = folder.file("smelt-join.service", &unit);
    let output = Command::new("systemd-analyze").args(["verify", &unit]).output().unwrap();
    let told = stderr(&output);
    assert!(!told.contains("smelt-join.service"), "{told}");
    // Its command line is one that smelt understands: only the database is missing.
    let text = std::fs::read_to_string(&unit).unwrap();
    let line = text.lines().find_map(|l| l.strip_prefix("ExecStart=")).unwrap();
    let mut words = line
        .split(' ')
        .map(|w| w.replace("database.example", "127.0.0.1:1").replace("verify-full", "disable"));
    let output = smelt(&folder, "m").args(words.by_ref().skip(1)).output().unwrap();
    assert!(stderr(&output).contains("cannot be reached"), "{}", stderr(&output));
}
