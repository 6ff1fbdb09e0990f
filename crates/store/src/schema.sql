-- What a campaign was asked to do and how far it is: one value for each key.
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Seeds in use. The text is kept for those that findings were made from, so that these can be made again.
CREATE TABLE seeds (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT, disputed TEXT, probed INTEGER NOT NULL DEFAULT 0,
    tests INTEGER NOT NULL DEFAULT 0, useful INTEGER NOT NULL DEFAULT 0, found INTEGER NOT NULL DEFAULT 0,
    cost_ms INTEGER NOT NULL DEFAULT 0, text BLOB
) WITHOUT ROWID;

-- Tests by strategy: counts and not each test, so that the store stays small however long a campaign runs.
CREATE TABLE tests (
    strategy TEXT PRIMARY KEY, made INTEGER NOT NULL, tests INTEGER NOT NULL, useful INTEGER NOT NULL,
    found INTEGER NOT NULL, cost_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- Tests by the logic of their seeds: how many, solver calls, and calls that were answered with sat or unsat.
CREATE TABLE logics (
    logic TEXT PRIMARY KEY, tests INTEGER NOT NULL, calls INTEGER NOT NULL, answered INTEGER NOT NULL
) WITHOUT ROWID;

-- Outcomes of all solver calls, by span of the campaign's wall time. All spans have the length `span_ms` of the table
-- `campaign`; when there are too many, pairs of them become one.
CREATE TABLE outcomes (
    span INTEGER NOT NULL, solver TEXT NOT NULL, outcome TEXT NOT NULL, calls INTEGER NOT NULL,
    wall_us INTEGER NOT NULL, cpu_us INTEGER NOT NULL, PRIMARY KEY (span, solver, outcome)
) WITHOUT ROWID;

-- An even sample of all tests, of bounded size: outcome and microseconds of wall time by solver, as JSON.
CREATE TABLE samples (slot INTEGER PRIMARY KEY, times TEXT NOT NULL);

-- One row for each bug. `seen` of three fresh runs showed it; fewer than three make it flaky. `at_ms`: when it was found, in
-- wall time of the campaign.
CREATE TABLE findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT NOT NULL, flaky INTEGER NOT NULL, seen INTEGER NOT NULL,
    claim TEXT NOT NULL, strategy TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL, reduced TEXT, triggers INTEGER NOT NULL,
    number INTEGER NOT NULL, at_ms INTEGER, UNIQUE (fingerprint, flaky)
);

-- How to make the smallest trigger of each finding again, and what all solvers said to it.
CREATE TABLE provenance (
    finding INTEGER PRIMARY KEY REFERENCES findings (id), strategy TEXT NOT NULL, options TEXT NOT NULL,
    files TEXT NOT NULL, rng TEXT NOT NULL, seeds TEXT NOT NULL, steps TEXT NOT NULL, expectations TEXT NOT NULL, certificate TEXT NOT NULL,
    solvers TEXT NOT NULL, before BLOB
);

-- What is known of a finding beyond its trigger: its fingerprint as a bug, the size of its reduced script, and the rest
-- as JSON. Written in one go once all is known. `place`: the order in which findings were examined; the first of a bug
-- names it for ever.
CREATE TABLE triage (
    finding INTEGER PRIMARY KEY REFERENCES findings (id), fingerprint TEXT NOT NULL, bytes INTEGER, dossier TEXT NOT NULL,
    place INTEGER NOT NULL
);
