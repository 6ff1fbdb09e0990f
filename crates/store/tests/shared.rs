//! The shared store against a PostgreSQL server of the test's own.

use smelt_core::{Accused, Case, Cause, Claim, Kind, Provenance, Reason, SeedHash, Site, SolverId};

use smelt_store::shared::{Address, Delivery, Hear, Leased, Member, Progress, Receipt, Status};
use smelt_store::{Batch, ErrorKind, Filed, NewFinding, Store};
use smelt_testing::Cluster;

pub(crate) fn address(cluster: &Cluster, user: &str, name: &str) -> Address {
    format!("{}#{name}", cluster.url(user)).parse().unwrap()
}

pub(crate) fn finding(number: u64, print: &str, script: &[u8]) -> NewFinding {
    let hash = SeedHash::of(script);
    NewFinding {
        claim: Claim {
            query: None,
            kind: Kind::Crash,
            accused: vec![Accused { position: 0, solver: SolverId::new("z3", None) }],
            evidence: None,
            theory: "ints".into(),
            cause: Cause::Site(Site::Source(print.into())),
            reason: Reason::Witness,
        },
        number,
        case: Case {
            provenance: Provenance {
                seeds: vec![hash],
                strategy: "fusion".into(),
                options: String::new(),
                files: Default::default(),
                rng: u64::MAX,
                steps: vec!["a \0 step".into()],
            },
            ..Case::open(script)
        },
        seen: Some(3),
        solvers: vec!["z3".into()],
        story: serde_json::json!({"said": "nul \0 here"}),
        seeds: vec![(hash.to_string(), "hostile \0 '\";--<b>".into(), script.to_vec())],
    }
}

pub(crate) fn delivery(
    member: &Member,
    number: u64,
    tests: u64,
    findings: Vec<NewFinding>,
    progress: Vec<Progress>,
) -> Delivery {
    let tests_row = vec![("fusion".to_owned(), tests, [tests as u32, 0, 0, 0])];
    let batch = Batch { tests: tests_row, findings, ..Batch::default() };
    let mut delivery = Delivery::of(&batch);
    delivery.machine = member.id().to_owned();
    (delivery.number, delivery.cases, delivery.progress) = (number, tests, progress);
    delivery
}

pub(crate) fn join(address: &Address, id: &str) -> Member {
    Member::join(address, id, "host", "0.1.0", "z3@4.8.12").unwrap()
}

fn range(leased: Leased) -> Progress {
    match leased {
        Leased::Range(range) => range,
        other => panic!("no range: {other:?}"),
    }
}

fn done(mut range: Progress, low: u64, above: &[u64]) -> Progress {
    range.low = low;
    range.done = above.iter().copied().collect();
    range
}

/// Sets a lease that is over at once, or one that is never over.
fn set_lease(address: &Address, ms: &str) {
    let values = [("lease_ms".into(), ms.to_owned())].into_iter().collect();
    Store::open_shared(address).unwrap().write(&Batch { values, ..Batch::default() }).unwrap();
}

#[test]
#[ignore = "needs postgresql"]
fn a_hostile_finding_is_stored_and_read_as_it_is() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "night-1");
    assert_eq!(Store::open_shared(&address).unwrap_err().kind(), ErrorKind::NotFound);
    let mut store = Store::create_shared(&address).unwrap();
    assert_eq!(Store::create_shared(&address).unwrap_err().kind(), ErrorKind::Exists);
    let script = b"(assert \0\xff\xfe '; DROP TABLE findings; --)";
    let print = "z3/crash/'; DROP TABLE findings; --\0";
    let filed =
        store.write(&Batch { findings: vec![finding(7, print, script)], ..Batch::default() }).unwrap();
    assert_eq!(filed, [Filed::New(1)]);
    let again = Batch { findings: vec![finding(9, print, script)], ..Batch::default() };
    assert_eq!(store.write(&again).unwrap(), [Filed::Known]);
    let smaller = Batch { findings: vec![finding(8, print, b"(x)")], ..Batch::default() };
    assert_eq!(store.write(&smaller).unwrap(), [Filed::Known]);
    let stored = store.stored().unwrap();
    assert_eq!((stored.len(), stored[0].triggers, stored[0].number), (1, 3, 8));
    assert_eq!(store.file(&stored[0].relative_file).unwrap(), b"(x)");
    assert_eq!(stored[0].trigger, format!("z3/crash/{}", print.replace('\0', "\u{fffd}")));
    let origin = store.origin("1").unwrap();
    assert_eq!(
        (origin.case.provenance.rng, &origin.case.provenance.steps[0]),
        (u64::MAX, &"a \0 step".to_owned())
    );
    assert_eq!(origin.seeds[0].1, b"(x)");
    assert_eq!(store.finding("nonsense").unwrap_err().kind(), ErrorKind::NotFound);
    store.bring_files().unwrap();
    assert_eq!(std::fs::read(&stored[0].finding.file).unwrap(), b"(x)");
    std::fs::remove_dir_all(store.folder()).unwrap();
    // The one campaign needs no name; of two, one must be named; another version is refused.
    let unnamed: Address = cluster.url("smelt").parse().unwrap();
    assert_eq!(Store::open_shared(&unnamed).unwrap().stored().unwrap().len(), 1);
    Store::create_shared(&self::address(&cluster, "smelt", "second")).unwrap();
    assert_eq!(Store::open_shared(&unnamed).unwrap_err().kind(), ErrorKind::Usage);
    assert_eq!(Status::names(&unnamed).unwrap(), ["night-1", "second"]);
    cluster.sql("UPDATE smelt.campaigns SET version = 77 WHERE name = 'second'");
    let error = Store::open_shared(&self::address(&cluster, "smelt", "second")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Version);
    assert!(error.to_string().contains("77"), "{error}");
    assert_eq!(cluster.sql("SELECT version FROM smelt.campaigns WHERE name = 'second'"), "77");
}

#[test]
#[ignore = "needs postgresql"]
fn a_delivery_counts_once_and_numbers_of_the_gone_are_given_out_again() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "books");
    Store::create_shared(&address).unwrap();
    let (mut one, mut two) = (join(&address, "one"), join(&address, "two"));
    let first = range(one.take_range("cases", 10, Some(15)).unwrap());
    assert_eq!((first.first, first.past), (0, 10));
    let second = range(two.take_range("cases", 10, Some(15)).unwrap());
    assert_eq!((second.first, second.past), (10, 15));
    assert_eq!(two.take_range("cases", 10, Some(15)).unwrap(), Leased::Wait);
    let part = delivery(&one, 1, 5, vec![finding(1, "a", b"(a)")], vec![done(first.clone(), 4, &[7])]);
    assert!(matches!(one.deliver(&part).unwrap(), Receipt::Taken(filed) if filed == [Filed::New(1)]));
    assert!(matches!(one.deliver(&part).unwrap(), Receipt::Known));
    // A process that leaves frees its numbers, and what it still delivers is not counted.
    one.leave().unwrap();
    let late = vec![finding(1, "a", b"(a)"), finding(2, "b", b"(b)")];
    let late = delivery(&one, 2, 3, late, vec![done(first.clone(), 10, &[])]);
    assert!(
        matches!(one.deliver(&late).unwrap(), Receipt::Lost(filed) if filed == [Filed::Known, Filed::New(2)])
    );
    assert!(
        matches!(one.deliver(&late).unwrap(), Receipt::Lost(filed) if filed == [Filed::Known, Filed::Known])
    );
    assert_eq!(one.take_range("cases", 10, None).unwrap(), Leased::Gone);
    let rest = range(two.take_range("cases", 10, Some(15)).unwrap());
    assert_eq!(rest, done(first, 4, &[7]));
    let both = vec![done(rest, 10, &[]), done(second, 15, &[])];
    let again = delivery(&two, 1, 10, vec![finding(2, "b", b"(b)")], both);
    assert!(matches!(two.deliver(&again).unwrap(), Receipt::Taken(filed) if filed == [Filed::Known]));
    assert_eq!(two.take_range("cases", 10, Some(15)).unwrap(), Leased::Over);
    let store = two.store().unwrap();
    let triggers: Vec<u64> = store.stored().unwrap().iter().map(|s| s.triggers).collect();
    assert_eq!((store.tests().unwrap()["fusion"].0, triggers), (15, vec![1, 1]));
    assert_eq!(store.low("cases").unwrap(), 15);
    let status = Status::read(store).unwrap();
    assert_eq!((status.given, status.done, status.ranges, status.tests), (15, 15, 0, 15));
    assert_eq!((status.machines.len(), status.gone, status.unexamined), (1, 1, 2));
}

#[test]
#[ignore = "needs postgresql"]
fn only_one_that_was_in_touch_all_the_time_declares_others_gone() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "lease");
    Store::create_shared(&address).unwrap();
    set_lease(&address, "3600000");
    let (mut dead, mut new) = (join(&address, "dead"), join(&address, "new"));
    let held = range(dead.take_range("cases", 5, Some(5)).unwrap());
    let age = |id: &str, seen: &str, steady: &str| {
        cluster.sql(&format!(
            "UPDATE smelt_lease.machines SET seen = now() - interval '{seen}', steady = now() - interval '{steady}' WHERE id = '{id}'"
        ));
    };
    age("dead", "2 hours", "3 hours");
    assert_eq!(new.take_range("cases", 5, Some(5)).unwrap(), Leased::Wait, "it came a moment ago");
    age("new", "2 hours", "9 hours");
    assert_eq!(new.take_range("cases", 5, Some(5)).unwrap(), Leased::Wait, "it was away itself");
    age("new", "1 minute", "2 hours");
    assert_eq!(range(new.take_range("cases", 5, Some(5)).unwrap()), held);
    assert!(dead.news(Hear::Nothing).unwrap().gone);
}

#[test]
#[ignore = "needs postgresql"]
fn a_finding_is_examined_by_one_and_by_another_if_that_one_is_gone() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "jobs");
    Store::create_shared(&address).unwrap();
    let (mut one, mut two) = (join(&address, "one"), join(&address, "two"));
    let both = vec![finding(1, "a", b"(aaaa)"), finding(2, "b", b"(b)")];
    one.deliver(&delivery(&one, 1, 2, both, Vec::new())).unwrap();
    let first = one.wanted().unwrap().unwrap().finding;
    assert_eq!(first, "2", "the smallest");
    assert_eq!(two.wanted().unwrap().unwrap().finding, "1");
    assert!(two.wanted().unwrap().is_none());
    one.leave().unwrap();
    assert_eq!(two.wanted().unwrap().unwrap().finding, first);
    two.give_back(&first).unwrap();
    assert_eq!(two.wanted().unwrap().unwrap().finding, first);
    assert_eq!(two.news(Hear::Nothing).unwrap().findings.len(), 2);
    assert!(two.news(Hear::Nothing).unwrap().findings.is_empty(), "known by now");
}

#[test]
#[ignore = "needs postgresql"]
fn roles_have_the_least_rights() {
    let cluster = Cluster::start();
    cluster.sql(
        "CREATE ROLE smelt_read; CREATE ROLE smelt_add;
        CREATE ROLE reader LOGIN IN ROLE smelt_read; CREATE ROLE worker LOGIN IN ROLE smelt_add",
    );
    let owner = address(&cluster, "smelt", "rights");
    Store::create_shared(&owner).unwrap();
    let (worker, reader) = (address(&cluster, "worker", "rights"), address(&cluster, "reader", "rights"));
    let mut member = join(&worker, "one");
    let range = range(member.take_range("cases", 5, Some(5)).unwrap());
    let all = delivery(&member, 1, 5, vec![finding(1, "a", b"(a)")], vec![done(range, 5, &[])]);
    assert!(matches!(member.deliver(&all).unwrap(), Receipt::Taken(_)));
    assert!(member.wanted().unwrap().is_some());
    let smaller = delivery(&member, 2, 0, vec![finding(2, "a", b"()")], Vec::new());
    assert!(matches!(member.deliver(&smaller).unwrap(), Receipt::Taken(_)));
    let mut store = Store::open_shared(&reader).unwrap();
    assert_eq!(store.stored().unwrap().len(), 1);
    assert_eq!(Status::read(&store).unwrap().tests, 5);
    assert_eq!(
        store.write(&Batch { tests: vec![("x".into(), 1, [0; 4])], ..Batch::default() }).unwrap_err().kind(),
        ErrorKind::Usage
    );
    assert!(Member::join(&reader, "two", "host", "0", "").is_err());
    for statement in [
        "DELETE FROM findings",
        "UPDATE findings SET fingerprint = 'x'",
        "DROP TABLE seeds",
        "DELETE FROM tests",
        "DELETE FROM files",
        "INSERT INTO campaign (key, value) VALUES ('request', 'x')",
        "INSERT INTO campaign (key, value) VALUES ('seed', 'x') ON CONFLICT (key) DO UPDATE SET value = 'x'",
        "DELETE FROM campaign",
        "INSERT INTO files VALUES ('mute.txt', '*')",
        "INSERT INTO files VALUES ('spool/evil/000000000001.json', '{}')",
        "INSERT INTO files VALUES ('findings/1/../../x', '')",
    ] {
        let refused = cluster.sql(&format!(
            "DO $$ BEGIN SET LOCAL ROLE worker; SET LOCAL search_path TO smelt_rights; {statement};
             RAISE EXCEPTION 'allowed'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$; SELECT 'refused'"
        ));
        assert!(refused.ends_with("refused"), "{statement}: {refused}");
    }
    for (table, statement) in [
        ("findings", "UPDATE findings SET id = 9223372036854775807"),
        ("machines", "UPDATE machines SET seen = '-infinity'"),
        ("ranges", "INSERT INTO ranges VALUES ('cases', 5, 9223372036854775807, 5, '[]', 'one')"),
    ] {
        let done = cluster.sql(&format!(
            "DO $$ BEGIN SET LOCAL ROLE worker; SET LOCAL search_path TO smelt_rights; {statement};
             RAISE EXCEPTION 'allowed'; EXCEPTION WHEN insufficient_privilege OR check_violation THEN NULL; END $$; SELECT 'refused'"
        ));
        assert!(done.ends_with("refused"), "{table}: {done}");
    }
    // Rows that a policy hides from a change stay as they are, without an error.
    cluster.sql("INSERT INTO smelt_rights.campaign (key, value) VALUES ('request', 'kept')");
    cluster.sql("INSERT INTO smelt_rights.seeds (hash, name, text) VALUES ('s', 'n', 'kept')");
    let scripts =
        cluster.sql("SELECT md5(string_agg(content, ''::bytea ORDER BY name)) FROM smelt_rights.files");
    cluster.sql(
        "SET ROLE worker; SET search_path TO smelt_rights;
         UPDATE campaign SET value = 'x'; UPDATE files SET content = 'x'; UPDATE seeds SET text = 'x'",
    );
    let text = "SELECT convert_from(text, 'UTF8') FROM smelt_rights.seeds WHERE hash = 's'";
    assert_eq!(cluster.sql(text), "kept");
    assert_eq!(cluster.sql("SELECT value FROM smelt_rights.campaign WHERE key = 'request'"), "kept");
    let after =
        cluster.sql("SELECT md5(string_agg(content, ''::bytea ORDER BY name)) FROM smelt_rights.files");
    assert_eq!(after, scripts);
    assert!(Store::create_shared(&address(&cluster, "worker", "more")).is_err());
}

/// Who waits for a lock or a server for too long tries again later; it does not fail.
#[test]
#[ignore = "needs postgresql, --slow"]
fn a_lock_that_others_hold_and_a_frozen_server_are_waited_for() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "held");
    Store::create_shared(&address).unwrap();
    let mut member = join(&address, "one");
    let first = delivery(&member, 1, 1, Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            let key = smelt_core::SeedHash::of(b"held").0.cast_signed();
            cluster.sql(&format!("SELECT pg_advisory_lock({key}); SELECT pg_sleep(30)"))
        });
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(member.deliver(&first).unwrap_err().kind(), ErrorKind::Away);
        holder.join().unwrap();
    });
    assert!(matches!(member.deliver(&first).unwrap(), Receipt::Taken(_)));
    smelt_store::shared::hurry();
    cluster.freeze();
    let asked = std::time::Instant::now();
    assert_eq!(member.news(Hear::Nothing).unwrap_err().kind(), ErrorKind::Away);
    assert!(asked.elapsed().as_secs() < 60, "{:?}", asked.elapsed());
    cluster.thaw();
    assert!(member.news(Hear::Nothing).is_ok());
}

#[test]
#[ignore = "needs postgresql"]
fn a_member_comes_back_after_the_database_was_away() {
    let cluster = Cluster::start();
    let address = address(&cluster, "smelt", "away");
    Store::create_shared(&address).unwrap();
    let mut member = join(&address, "one");
    let first = delivery(&member, 1, 1, Vec::new(), Vec::new());
    cluster.stop();
    assert_eq!(member.deliver(&first).unwrap_err().kind(), ErrorKind::Away);
    assert_eq!(member.news(Hear::Nothing).unwrap_err().kind(), ErrorKind::Away);
    cluster.run_server();
    assert!(matches!(member.deliver(&first).unwrap(), Receipt::Taken(_)));
    assert!(matches!(member.deliver(&first).unwrap(), Receipt::Known));
    assert!(member.news(Hear::Nothing).unwrap().findings.is_empty());
    // What was leased while the answer was lost, it can ask for.
    assert_eq!(member.held().unwrap(), []);
    let leased = range(member.take_range("cases", 5, None).unwrap());
    assert_eq!(member.held().unwrap(), [leased]);
}

/// Opens a store of a server with TLS: host, and what is behind `?`.
#[cfg(feature = "tls")]
fn open(cluster: &Cluster, host: &str, options: &str) -> Result<(), smelt_store::Error> {
    let url = cluster.network_url("smelt").replace("localhost", host);
    let address: Address = format!("{url}?{options}#secure").parse()?;
    Store::open_shared(&address).and_then(|mut store| store.write(&Batch::default()).map(drop))
}

/// A file of the server, as a root certificate.
#[cfg(feature = "tls")]
fn root(cluster: &Cluster, mode: &str, name: &str) -> String {
    let file = cluster.folder().join(name).display().to_string().replace('/', "%2F");
    format!("sslmode={mode}&sslrootcert={file}")
}

#[cfg(feature = "tls")]
#[test]
#[ignore = "needs postgresql, openssl"]
fn tls_is_used_and_certificates_are_checked_as_far_as_sslmode_says() {
    let cluster = Cluster::secure();
    let made: Address = format!("{}?sslmode=require#secure", cluster.network_url("smelt")).parse().unwrap();
    let store = Store::create_shared(&made).unwrap();
    let encrypted = "SELECT COUNT(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name = 'smelt' AND s.ssl";
    assert_eq!(cluster.sql(encrypted), "1");
    drop(store);
    let (full, authority) =
        (root(&cluster, "verify-full", "authority.pem"), root(&cluster, "verify-ca", "authority.pem"));
    open(&cluster, "localhost", &full).unwrap();
    assert!(open(&cluster, "127.0.0.1", &full).is_err(), "the certificate is for another name");
    open(&cluster, "127.0.0.1", &authority).unwrap();
    open(&cluster, "localhost", &root(&cluster, "require", "authority.pem")).unwrap();
    assert!(open(&cluster, "localhost", "sslmode=verify-full").is_err(), "nobody that is known signed it");
    for name in ["log", "missing.pem", "certificate.pem"] {
        for mode in ["require", "verify-ca", "verify-full"] {
            let refused = open(&cluster, "localhost", &root(&cluster, mode, name));
            assert!(refused.is_err(), "{name} is no authority of it, with {mode}");
        }
    }
    open(&cluster, "localhost", "sslmode=prefer").unwrap();
    open(&cluster, "localhost", "sslmode=disable").unwrap();
}

#[cfg(feature = "tls")]
#[test]
#[ignore = "needs postgresql, openssl"]
fn a_certificate_that_signs_itself_is_good_where_it_is_named() {
    let cluster = Cluster::self_signed();
    let made: Address = format!("{}?sslmode=require#secure", cluster.network_url("smelt")).parse().unwrap();
    drop(Store::create_shared(&made).unwrap());
    let full = root(&cluster, "verify-full", "certificate.pem");
    open(&cluster, "localhost", &full).unwrap();
    assert!(open(&cluster, "127.0.0.1", &full).is_err(), "the certificate is for another name");
    open(&cluster, "127.0.0.1", &root(&cluster, "verify-ca", "certificate.pem")).unwrap();
    assert!(open(&cluster, "localhost", "sslmode=verify-full").is_err(), "nobody named it");
}
