/** The tables of state.sqlite, oldest version first; steps are only ever added. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE journal (run TEXT PRIMARY KEY, scope TEXT NOT NULL, payload TEXT NOT NULL) STRICT;
  CREATE TABLE runs (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_session ON runs (session, sequence);
  CREATE TABLE held (run TEXT PRIMARY KEY REFERENCES runs (id), payload TEXT NOT NULL) STRICT;
  CREATE TABLE revisions (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    file TEXT NOT NULL,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    cause TEXT NOT NULL,
    run TEXT,
    at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX revisions_by_file ON revisions (scope, file, id);
  CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    text TEXT NOT NULL,
    run TEXT,
    session TEXT,
    message TEXT,
    quote TEXT,
    proof TEXT NOT NULL,
    added_at TEXT NOT NULL,
    retired_at TEXT,
    retired_by TEXT,
    retired_reason TEXT,
    replaced_by TEXT
  ) STRICT;
  CREATE INDEX facts_by_text ON facts (scope, text);
  CREATE INDEX facts_by_session ON facts (session);
  CREATE TABLE failures (session TEXT PRIMARY KEY, count INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
  CREATE TABLE spend (
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cost REAL,
    PRIMARY KEY (day, model)
  ) STRICT;
  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    run_after TEXT NOT NULL,
    owner TEXT,
    last_error TEXT
  ) STRICT;
  CREATE INDEX jobs_due ON jobs (state, run_after);
  `,
  `
  ALTER TABLE jobs ADD COLUMN lease_until TEXT;
  CREATE TABLE flushes (log TEXT PRIMARY KEY, cursor INTEGER NOT NULL) STRICT;
  `,
  `
  ALTER TABLE facts ADD COLUMN origin TEXT;
  `,
  // A revision is kept as the difference to the one before it; those without a patch are whole.
  `
  ALTER TABLE facts ADD COLUMN path TEXT;
  ALTER TABLE revisions ADD COLUMN patch TEXT;
  ALTER TABLE revisions ADD COLUMN edits TEXT;
  CREATE INDEX revisions_whole ON revisions (scope, file, id) WHERE patch IS NULL;
  CREATE INDEX facts_from_outside ON facts (origin) WHERE origin IS NOT NULL;
  CREATE TABLE heads (
    scope TEXT NOT NULL,
    file TEXT NOT NULL,
    revision INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (scope, file)
  ) STRICT;
  INSERT INTO heads (scope, file, revision, text)
    SELECT scope, file, id, text FROM revisions
    WHERE id IN (SELECT max(id) FROM revisions GROUP BY scope, file);
  `,
  // An apply that cannot be finished is set aside, with why; one whose records are made lacks only its cursor.
  `
  ALTER TABLE journal ADD COLUMN problem TEXT;
  ALTER TABLE journal ADD COLUMN aside_at TEXT;
  ALTER TABLE journal ADD COLUMN is_recorded INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX revisions_by_run ON revisions (run);
  CREATE INDEX revisions_undoing ON revisions (scope, file, id) WHERE author = 'undo';
  CREATE INDEX revisions_older ON revisions (scope, file) WHERE edits IS NULL;
  `,
  `
  CREATE TABLE outside_words (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    hash TEXT NOT NULL,
    tool TEXT NOT NULL,
    UNIQUE (scope, hash)
  ) STRICT;
  CREATE TABLE outside_messages (session TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (session, message)) STRICT;
  `,
  // The hashes are salted when they are first used; files that an agent wrote down from outside are known by their paths.
  `
  CREATE TABLE outside_salt (salt TEXT NOT NULL) STRICT;
  CREATE TABLE outside_files (path TEXT PRIMARY KEY, tool TEXT NOT NULL) STRICT;
  `,
  // What models answered, and what a person decided in the review, so that it can be decided anew.
  `
  CREATE TABLE answers (run TEXT PRIMARY KEY, payload TEXT NOT NULL) STRICT;
  CREATE TABLE decided (run TEXT PRIMARY KEY, proposal TEXT NOT NULL, verdict TEXT NOT NULL, payload TEXT NOT NULL) STRICT;
  CREATE INDEX decided_by_proposal ON decided (proposal);
  `,
];
