//! Folders and databases that someone else wrote: no command is run, and nothing outside is read or written.

use crate::common::{Folder, code, stderr, stdout};
use crate::page::Server;
use std::process::{Command, Output};

const SECRET: &str = "TOP-SECRET";

/// A campaign with a finding, beside a file that is nobody's business.
fn campaign(test: &str) -> Folder {
    let seed = "(declare-const a Bool)(declare-const b Bool)(assert (distinct a b a))(check-sat)";
    let folder = Folder::new(test).with("seed.smt2", seed).with("secret.txt", SECRET);
    let campaign = "fuzz seed.smt2 -S builtin -S builtin:distinct-neighbours -s shuffle --tests 4 --seed 1 -j 1 \
        --no-cache --out hunt";
    let out = folder.smelt(&campaign.split_whitespace().collect::<Vec<_>>());
    assert_eq!(code(&out), 10, "{}{}", stdout(&out), stderr(&out));
    folder
}

/// Changes the database of the campaign as an attacker does.
fn change(folder: &Folder, sql: &str) {
    let script =
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()";
    let done =
        Command::new("python3").args(["-c", script, &folder.path("hunt/campaign.sqlite"), sql]).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
}

/// Every command that reads a folder.
const READERS: &[&[&str]] = &[
    &["bugs", "hunt"],
    &["bugs", "hunt", "--json"],
    &["bugs", "hunt", "--findings"],
    &["bugs", "show", "1", "hunt"],
    &["bugs", "show", "1", "hunt", "--json"],
    &["bugs", "report", "1", "hunt"],
    &["bugs", "export", "hunt", "-o", "exported"],
    &["bugs", "export", "hunt", "--sarif", "exported.sarif"],
    &["bugs", "export", "hunt", "--regress", "z3", "-o", "tests"],
    &["bugs", "examine", "hunt", "--all"],
    &["merge", "hunt", "--out", "merged"],
    &["replay", "1", "hunt"],
    &["replay", "1", "hunt", "--print"],
    &["fuzz", "--resume", "--out", "hunt", "--tests", "1"],
    &["report", "hunt"],
];

/// Everything that is in the folder now, but the secret itself and links.
fn all_files(folder: &Folder) -> String {
    let find = ["-type", "f", "!", "-name", "secret.txt", "-exec", "cat", "{}", "+"];
    let out = Command::new("find").arg(".").args(find).current_dir(&folder.0).output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Runs every reader; none shows or copies the secret. Returns what was said.
fn read_all(folder: &Folder) -> String {
    let mut all = String::new();
    for arguments in READERS {
        let out = folder.smelt(arguments);
        let told = format!("{}{}", stdout(&out), stderr(&out));
        assert!(!told.contains(SECRET), "{arguments:?}: {told}");
        // What is asked for may be just what is damaged.
        let is_damaged = code(&out) == 1 && stderr(&out).contains("the store is damaged: ");
        assert!(matches!(code(&out), 0 | 2 | 10) || is_damaged, "{arguments:?}: {told}");
        all.push_str(&told);
    }
    let server = Server::start(folder.command(), "hunt");
    for path in ["/", "/bugs/1.html", "/findings/1/reduced.smt2", "/../secret.txt", "/secret.txt"] {
        let page = server.ask(&format!("GET {path} HTTP/1.1"));
        assert!(!page.contains(SECRET), "{path}: {page}");
    }
    drop(server);
    assert!(!all_files(folder).contains(SECRET), "it was copied");
    all
}

#[test]
#[ignore = "needs python3"]
fn a_stored_name_leads_to_no_file_outside() {
    for name in ["../secret.txt", "findings/../../secret.txt", "/etc/passwd"] {
        let folder = campaign("hostile-name");
        let own = folder.path("secret.txt");
        let name = if name == "/etc/passwd" { own.as_str() } else { name };
        change(&folder, &format!("UPDATE findings SET file = '{name}', reduced = '{name}'"));
        let told = read_all(&folder);
        assert!(told.contains("skipping finding 1: the store refers to the file"), "{told}");
    }
}

#[test]
#[ignore = "needs python3"]
fn links_of_a_folder_are_not_followed() {
    let folder = campaign("hostile-link");
    let reduced = folder.0.join("hunt/findings/1/reduced.smt2");
    let _ = std::fs::remove_file(&reduced);
    std::os::unix::fs::symlink(folder.0.join("secret.txt"), &reduced).unwrap();
    change(&folder, "UPDATE findings SET reduced = 'findings/1/reduced.smt2'");
    read_all(&folder);
    // Pages are not written through links.
    let folder = campaign("hostile-page");
    let victim = folder.file("victim.txt", "mine");
    std::os::unix::fs::symlink(&victim, folder.0.join("hunt/index.html")).unwrap();
    assert_eq!(code(&folder.smelt(&["report", "hunt"])), 2);
    std::fs::remove_file(folder.0.join("hunt/index.html")).unwrap();
    assert_eq!(code(&folder.smelt(&["report", "hunt"])), 0);
    std::fs::create_dir(folder.0.join("elsewhere")).unwrap();
    let _ = std::fs::remove_dir_all(folder.0.join("hunt/bugs"));
    for name in ["bugs", "export"] {
        std::os::unix::fs::symlink(folder.0.join("elsewhere"), folder.0.join("hunt").join(name)).unwrap();
    }
    assert_eq!(code(&folder.smelt(&["report", "hunt"])), 2);
    assert_eq!(code(&folder.smelt(&["bugs", "export", "hunt"])), 2);
    assert_eq!(std::fs::read_dir(folder.0.join("elsewhere")).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "mine");
}

#[test]
#[ignore = "needs python3"]
fn a_command_line_of_a_folder_is_not_run_without_a_word() {
    let folder = campaign("hostile-command");
    let run = |arguments: &[&str]| -> (i32, String) {
        let out: Output = folder.smelt(arguments);
        (code(&out), format!("{}{}", stdout(&out), stderr(&out)))
    };
    folder.program("evil", "touch pwned\necho sat");
    change(
        &folder,
        "UPDATE provenance SET solvers = '[\"builtin\", \"./evil --now\"]';
         UPDATE campaign SET value = replace(value, 'builtin:distinct-neighbours', './evil --now') WHERE key = 'request'",
    );
    let resume: &[&str] = &["fuzz", "--resume", "--out", "hunt", "--tests", "2"];
    let attacks: &[&[&str]] = &[
        &["replay", "1", "hunt"],
        &["bugs", "examine", "1", "hunt"],
        &["bugs", "examine", "hunt", "--all"],
        resume,
    ];
    for arguments in attacks {
        let (_, told) = run(arguments);
        assert!(told.contains("`./evil --now`; if you trust it, "), "{arguments:?}: {told}");
        assert!(!folder.0.join("pwned").exists(), "{arguments:?}");
    }
    assert_eq!(run(&["replay", "1", "hunt"]).0, 2);
    let (_, told) = run(&["replay", "1", "hunt", "--allow-commands"]);
    assert!(
        told.contains("running a command line from hunt: ./evil --now") && folder.0.join("pwned").exists(),
        "{told}"
    );
}

#[test]
#[ignore = "needs python3"]
fn a_row_that_cannot_be_read_is_named_and_the_others_are_shown() {
    let folder = campaign("hostile-row");
    change(&folder, "UPDATE triage SET dossier = '{}'");
    let told = read_all(&folder);
    assert!(told.contains("the dossier of finding 1 cannot be read"), "{told}");
    change(&folder, "UPDATE findings SET claim = 'x' WHERE id = 1");
    let out = folder.smelt(&["bugs", "hunt"]);
    assert!(stderr(&out).contains("skipping finding 1: "), "{}{}", stdout(&out), stderr(&out));
}

/// SQLite runs what the schema of a file says: a view in place of a table may have no end, a trigger may change what is
/// written.
#[test]
#[ignore = "needs python3"]
fn a_folder_with_tables_of_someone_else_is_not_read() {
    let endless = "SELECT * FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
    let attacks = [
        format!(
            "ALTER TABLE tests RENAME TO old; CREATE VIEW tests AS {endless} 's' || i AS strategy, i AS made, \
             i AS tests, i AS useful, i AS found, i AS cost_ms FROM n)"
        ),
        format!(
            "ALTER TABLE campaign RENAME TO old; CREATE VIEW campaign AS {endless} 'k' || i AS key, 'v' AS value FROM n)"
        ),
        "CREATE TRIGGER t AFTER UPDATE ON findings BEGIN UPDATE findings SET file = '../secret.txt'; END"
            .to_owned(),
        "DROP TABLE samples; CREATE TABLE samples (slot TEXT, times BLOB)".to_owned(),
    ];
    for attack in attacks {
        let folder = campaign("hostile-schema");
        change(&folder, &attack);
        for arguments in READERS {
            let out = folder.smelt(arguments);
            let told = format!("{}{}", stdout(&out), stderr(&out));
            assert!(matches!(code(&out), 1 | 2), "{arguments:?}: {told}");
            assert!(told.contains("in its database is"), "{arguments:?}: {told}");
        }
    }
}

/// A row with values of other types is named and left out, whatever table it is in; once it ended the command.
#[test]
#[ignore = "needs python3"]
fn rows_of_wrong_types_are_named_and_left_out() {
    let rows = [
        ("campaign", "INSERT INTO campaign VALUES ('odd', x'00')"),
        ("seeds", "INSERT INTO seeds (hash, name, tests) VALUES ('odd', 'odd', 'many')"),
        ("tests", "INSERT INTO tests VALUES ('odd', 'a', 'b', 'c', 'd', 'e')"),
        ("logics", "INSERT INTO logics VALUES ('odd', 'a', 'b', 'c')"),
        ("outcomes", "INSERT INTO outcomes VALUES ('odd', 'z3', 'sat', 'a', 'b', 'c')"),
        ("outcomes", "INSERT INTO outcomes VALUES (1, 'odd', 'sat', 9.5, x'01', 'c')"),
        ("samples", "INSERT INTO samples VALUES (99, x'ff')"),
        ("provenance", "UPDATE provenance SET steps = x'00'"),
    ];
    for (table, row) in rows {
        let folder = campaign("hostile-type");
        change(&folder, row);
        let told = read_all(&folder);
        assert!(told.contains(&format!(" of {table}: ")), "{row}: {told}");
    }
    // Sums have an end, too.
    let folder = campaign("hostile-sum");
    let large = i64::MAX;
    change(
        &folder,
        &format!(
            "INSERT INTO outcomes VALUES (1, 'z3', 'sat', {large}, {large}, {large}), (2, 'z3', 'sat', {large}, {large}, {large})"
        ),
    );
    read_all(&folder);
    let folder = campaign("hostile-finding");
    change(
        &folder,
        "UPDATE findings SET bytes = 'many', strategy = x'00'; UPDATE triage SET place = 'first'",
    );
    assert!(read_all(&folder).contains("skipping finding 1: "));
}

/// A worker's role cannot change what others run, and a process that joins runs no command line of someone else.
#[cfg(feature = "postgres")]
#[test]
#[ignore = "needs postgresql"]
fn who_joins_runs_no_command_line_of_someone_else() {
    let cluster = smelt_testing::Cluster::start();
    let folder = Folder::new("hostile-join");
    folder.solver("fake", "touch ran; echo sat");
    let place = format!("{}#one", cluster.url("smelt"));
    let fuzz = "fuzz --tests 3 --seed 1 -j 1 --no-cache --no-reduce -s construct -S builtin -S ./fake";
    let smelt = |home: &str, arguments: &[&str]| {
        folder
            .command()
            .env("HOME", folder.0.join(home))
            .env("XDG_CACHE_HOME", folder.0.join(home))
            .args(arguments)
            .output()
            .unwrap()
    };
    let fuzz: Vec<&str> = fuzz.split_whitespace().chain(["--store", &place]).collect();
    let made = smelt("owner", &fuzz);
    assert!(matches!(code(&made), 0 | 10), "{}{}", stdout(&made), stderr(&made));
    cluster.sql("UPDATE smelt_one.campaign SET value = replace(value, '\"tests\":3', '\"tests\":6') WHERE key = 'request'");
    std::fs::remove_file(folder.0.join("ran")).unwrap();
    let refused = smelt("other", &["join", &place, "-j", "1"]);
    assert_eq!(code(&refused), 2, "{}{}", stdout(&refused), stderr(&refused));
    assert!(
        stderr(&refused).contains("`./fake`; if you trust it, use --allow-commands"),
        "{}",
        stderr(&refused)
    );
    assert!(!folder.0.join("ran").exists());
    let allowed = smelt("other", &["join", &place, "-j", "1", "--allow-commands"]);
    assert!(
        stderr(&allowed).contains("running a command line from ") && stderr(&allowed).contains(": ./fake\n"),
        "{}",
        stderr(&allowed)
    );
    assert!(folder.0.join("ran").exists());
}

/// A finished campaign can be read by those who may not write to its folder.
#[test]
fn a_folder_is_read_without_the_right_to_write() {
    let folder = campaign("read-only");
    let chmod = |mode: &str| {
        assert!(Command::new("chmod").args(["-R", mode]).arg(&folder.0).status().unwrap().success());
    };
    chmod("a-w,a+rX");
    // The rights of files do not bind root.
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|out| stdout(&out).trim() == "0");
    let smelt = env!("CARGO_BIN_EXE_smelt");
    let mut words = vec!["setpriv", "--reuid=65534", "--clear-groups", "--", smelt];
    if !is_root {
        words.drain(..4);
    }
    for arguments in [&["bugs", "hunt"][..], &["bugs", "show", "1", "hunt"], &["bugs", "report", "1", "hunt"]]
    {
        let mut command = Command::new(words[0]);
        let out = command.args(&words[1..]).args(arguments).current_dir(&folder.0).output().unwrap();
        assert_eq!(code(&out), 10, "{arguments:?}: {}{}", stdout(&out), stderr(&out));
    }
    chmod("u+w");
}

/// A seed of 100,000 nested terms costs each strategy about as much as reading it: once, some took minutes.
#[test]
fn a_deep_seed_takes_no_strategy_long() {
    let depth = 100_000;
    let (open, close) = ("(+ x ".repeat(depth), ")".repeat(depth));
    let seed =
        format!("(declare-const x Int)(declare-const y Int)(assert (> {open}1{close} y))(check-sat)\n");
    let folder = Folder::new("deep").with("deep.smt2", &seed);
    let started = std::time::Instant::now();
    for strategy in [
        "operator:steps=24",
        "generative:steps=24",
        "certified",
        "fusion",
        "shuffle",
        "skeleton:steps=24",
        "weaken:steps=24",
        "queries",
    ] {
        let out = folder.smelt(&["mutate", strategy, "deep.smt2", "deep.smt2", "--status", "sat"]);
        assert!(matches!(code(&out), 0 | 2), "{strategy}: {}", stderr(&out));
    }
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}

/// No solver sees the password of a database, neither in its own environment nor in that of the processes above it.
#[test]
fn a_solver_finds_no_password() {
    let seed = "(declare-const x Int)(assert (> x 1))(check-sat)\n";
    let folder = Folder::new("password").with("seed.smt2", seed);
    let spy = "env > seen; p=$PPID; while [ \"$p\" -gt 1 ]; do cat /proc/$p/environ /proc/$p/cmdline >> seen; \
        [ \"$p\" = \"$SMELT_TEST\" ] && break; p=$(cut -d' ' -f4 /proc/$p/stat); done; echo sat";
    folder.solver("spy", spy);
    let mut command = folder.command();
    command.env("PGPASSWORD", "s3cret").env("SMELT_TEST", std::process::id().to_string());
    let out = command.args(["check", "seed.smt2", "-S", "./spy"]).output().unwrap();
    let seen = std::fs::read(folder.0.join("seen")).unwrap_or_else(|e| panic!("{e}: {}", stderr(&out)));
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains("seed.smt2"), "it has seen smelt itself: {seen}");
    assert!(!seen.contains("s3cret"), "{seen}");
}

/// A script has solvers write no files, whatever options it sets: one could be the list of commands that are trusted.
#[test]
#[ignore = "needs z3"]
fn a_script_makes_no_solver_write_a_file() {
    let folder = Folder::new("options");
    for option in [
        "(set-option :trace true)(set-option :trace_file_name \"out\")",
        "(set-option :trace true)(set-option :trace-file-name out)",
        "(set-option :smtlib2_log \"out\")",
        "(set-option :solver.smtlib2_log out)",
        "(set-option :sat.dimacs.file out)",
        "(set-option :sat.drat.file \"out\")",
        "(set-option :sat.drat.file out)",
        "(set-option :dump_models true)(set-option :regular-output-channel \"out\")",
        "(include \"secret.txt\")",
        "(get-proof-graph)",
    ] {
        let script = format!("{option}(declare-const x Int)(assert (> x 1))(check-sat)\n");
        folder.file("a.smt2", &script);
        folder.file("secret.txt", "s3cret s3cret\n");
        let out = folder.smelt(&["check", "a.smt2", "-S", "z3"]);
        assert!(
            !stdout(&out).contains("s3cret") && !stderr(&out).contains("s3cret"),
            "{option}: {}",
            stdout(&out)
        );
        let files: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(files.len(), 2, "{option}: {files:?}");
    }
}

/// A folder of someone else names no cache, no file to read, and nothing to remove.
#[test]
#[ignore = "needs python3"]
fn a_resumed_folder_reaches_no_file_outside() {
    let folder = campaign("resume-outside");
    let outside = folder.path("outside.sqlite");
    std::fs::create_dir(folder.0.join("victim")).unwrap();
    folder.file("victim/case-study.json", "{}");
    std::os::unix::fs::symlink(folder.0.join("victim"), folder.0.join("hunt/findings/77")).unwrap();
    change(
        &folder,
        &format!(
            "UPDATE campaign SET value = json_set(value, '$.cache', '{outside}', '$.no_cache', json('false')) WHERE key = 'request'"
        ),
    );
    let out = folder.smelt(&[
        "fuzz",
        "--resume",
        "--out",
        "hunt",
        "-n",
        "8",
        "-S",
        "builtin",
        "-S",
        "builtin:distinct-neighbours",
    ]);
    assert!(matches!(code(&out), 0 | 10), "{}", stderr(&out));
    assert!(!folder.0.join("outside.sqlite").exists(), "{}", stderr(&out));
    assert!(folder.0.join("victim/case-study.json").exists());
    let secret = folder.file("secret.txt", "s3cret\n");
    change(
        &folder,
        &format!(
            "UPDATE campaign SET value = json_set(value, '$.strategies', json('[\"weaken:rules={secret}\"]')) WHERE key = 'request'"
        ),
    );
    let out = folder.smelt(&["fuzz", "--resume", "--out", "hunt", "-n", "9", "-S", "builtin"]);
    assert_eq!(code(&out), 2, "{}", stdout(&out));
    assert!(
        !stderr(&out).contains("s3cret\n") && stderr(&out).contains("whose content is missing"),
        "{}",
        stderr(&out)
    );
}

/// What is neither a file nor a folder would keep a command waiting forever.
#[test]
fn a_pipe_in_place_of_a_file_is_no_wait() {
    let folder = Folder::new("pipe").with("seed.smt2", "(check-sat)\n");
    assert!(Command::new("mkfifo").arg(folder.path("smelt.toml")).status().unwrap().success());
    let out = folder.smelt(&["check", "seed.smt2", "-S", "builtin"]);
    assert!(code(&out) == 2 && stderr(&out).contains("is not a file"), "{}", stderr(&out));
}
