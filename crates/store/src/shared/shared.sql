
-- What only a shared campaign has. All times are by the database's clock.

-- Scripts and stories of findings, by the names that they have in a folder.
CREATE TABLE files (name TEXT PRIMARY KEY, content BYTEA NOT NULL);

-- The processes that take part. `seen`: when it last wrote; `steady`: since when without a long gap; `gone`: it left, or
-- was not seen for so long that others run its cases again; `delivered`: the number of its last delivery.
CREATE TABLE machines (
    id TEXT PRIMARY KEY, host TEXT NOT NULL, smelt TEXT NOT NULL, solvers TEXT NOT NULL,
    joined TIMESTAMPTZ NOT NULL DEFAULT now(), seen TIMESTAMPTZ NOT NULL DEFAULT now(),
    steady TIMESTAMPTZ NOT NULL DEFAULT now(), gone BOOLEAN NOT NULL DEFAULT false,
    delivered BIGINT NOT NULL DEFAULT 0, cases BIGINT NOT NULL DEFAULT 0
);

-- By kind of number (the cases of the campaign, or of a way in order): the first that was never given out.
CREATE TABLE streams (stream TEXT PRIMARY KEY, next BIGINT NOT NULL);

-- Numbers that were given out and are not all done: from `first` to below `past`. All below `low` are done, and those in
-- the JSON list `done`. A range that is done has no row.
CREATE TABLE ranges (
    stream TEXT NOT NULL, first BIGINT NOT NULL, past BIGINT NOT NULL, low BIGINT NOT NULL, done TEXT NOT NULL,
    holder TEXT NOT NULL REFERENCES machines (id), PRIMARY KEY (stream, first)
);

-- Findings that a machine examines.
CREATE TABLE jobs (finding BIGINT PRIMARY KEY, holder TEXT NOT NULL, tries BIGINT NOT NULL);

-- The scheduler's counts of the ways of strategies, and what solvers decided by size of cases.
CREATE TABLE ways (
    way TEXT PRIMARY KEY, tests BIGINT NOT NULL, useful BIGINT NOT NULL, found BIGINT NOT NULL, cost_ms BIGINT NOT NULL
);
CREATE TABLE sizes (
    way TEXT NOT NULL, size BIGINT NOT NULL, solver TEXT NOT NULL, asked BIGINT NOT NULL, decided BIGINT NOT NULL,
    PRIMARY KEY (way, size, solver)
);

-- Which versions of smelt and of solvers showed a finding.
CREATE TABLE sightings (
    fingerprint TEXT NOT NULL, smelt TEXT NOT NULL, solvers TEXT NOT NULL, triggers BIGINT NOT NULL,
    PRIMARY KEY (fingerprint, smelt, solvers)
);

-- The role that made the campaign may change anything. Others, whatever their rights on the table: of the settings only the
-- length of the spans of time, and no script but a reduced one, which a better one replaces.
ALTER TABLE campaign ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON campaign FOR SELECT USING (true);
CREATE POLICY added ON campaign FOR INSERT WITH CHECK (key = 'span_ms');
CREATE POLICY changed ON campaign FOR UPDATE USING (key = 'span_ms');
ALTER TABLE files ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON files FOR SELECT USING (true);
CREATE POLICY added ON files FOR INSERT WITH CHECK (name ~ '^findings/[0-9]{1,18}/[A-Za-z0-9._-]{1,100}$');
CREATE POLICY changed ON files FOR UPDATE USING (name LIKE '%/reduced.smt2');

-- The text of a seed is given once: tests are made of it on all machines.
CREATE FUNCTION keep_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.text := COALESCE(OLD.text, NEW.text);
    RETURN NEW;
END $$;
CREATE TRIGGER keep_text BEFORE UPDATE ON seeds FOR EACH ROW EXECUTE FUNCTION keep_text();

-- Numbers and times that no campaign reaches, and that would stop everybody.
ALTER TABLE findings ADD CHECK (id BETWEEN 0 AND 1099511627776);
ALTER TABLE machines ADD CHECK (isfinite(joined) AND isfinite(seen) AND isfinite(steady));
ALTER TABLE ranges ADD CHECK (first BETWEEN 0 AND past AND past < 4611686018427387904 AND low BETWEEN first AND past);
