-- What the roles may do with a campaign and with answers of studies, granted when they are made if the roles exist. SCHEMA_NAME is its schema.
-- role smelt_read
GRANT USAGE ON SCHEMA smelt, SCHEMA_NAME TO smelt_read;
GRANT SELECT ON smelt.campaigns TO smelt_read;
GRANT SELECT ON ALL TABLES IN SCHEMA SCHEMA_NAME TO smelt_read;
-- role smelt_add
GRANT USAGE ON SCHEMA smelt, SCHEMA_NAME TO smelt_add;
GRANT SELECT ON smelt.campaigns TO smelt_add;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA SCHEMA_NAME TO smelt_add;
-- Counts grow, and the row of a finding comes to name a smaller script; findings, seeds and their identity stay. Of the
-- settings and the files, policies of shared.sql leave what a campaign needs to change while it runs.
GRANT UPDATE ON campaign, tests, logics, outcomes, samples, provenance, machines, streams, ranges, jobs, files,
    ways, sizes, sightings TO smelt_add;
GRANT UPDATE (probed, disputed, tests, useful, found, cost_ms, text) ON seeds TO smelt_add;
GRANT UPDATE (file, bytes, strategy, claim, number, seen, triggers, reduced) ON findings TO smelt_add;
GRANT UPDATE (fingerprint, bytes, dossier) ON triage TO smelt_add;
-- What is leased and done, and spans of time that become one.
GRANT DELETE ON ranges, outcomes TO smelt_add;

-- role answers smelt_read
GRANT USAGE ON SCHEMA SCHEMA_NAME TO smelt_read;
GRANT SELECT ON ALL TABLES IN SCHEMA SCHEMA_NAME TO smelt_read;
-- role answers smelt_add
GRANT USAGE ON SCHEMA SCHEMA_NAME TO smelt_add;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA SCHEMA_NAME TO smelt_add;
GRANT UPDATE ON outcomes, confirmed TO smelt_add;
