CREATE TABLE solvers (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
-- `limit_ms` is what the query was allowed to take.
CREATE TABLE outcomes (
    solver INTEGER NOT NULL, formula INTEGER NOT NULL, limit_ms INTEGER NOT NULL, outcome TEXT NOT NULL,
    PRIMARY KEY (solver, formula)
) WITHOUT ROWID;
-- Whether a trigger came again in a process of its own.
CREATE TABLE confirmed (
    solver INTEGER NOT NULL, formula INTEGER NOT NULL, kind TEXT NOT NULL, again INTEGER NOT NULL,
    PRIMARY KEY (solver, formula, kind)
) WITHOUT ROWID;
