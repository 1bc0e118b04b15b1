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
  // Which facts came and went with which revision, so that nobody reads all of history for one of them.
  `
  CREATE TABLE known (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    file TEXT NOT NULL,
    text TEXT NOT NULL,
    entered INTEGER,
    UNIQUE (scope, file, text)
  ) STRICT;
  CREATE INDEX known_entered ON known (scope, file, entered);
  CREATE TABLE turns (
    revision INTEGER NOT NULL,
    place INTEGER NOT NULL,
    fact INTEGER NOT NULL,
    is_entry INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (revision, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_by_fact ON turns (fact, revision);
  CREATE TABLE unexplained (revision INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE INDEX unexplained_by_revision ON unexplained (revision);
  CREATE TEMP TABLE turning AS
    SELECT revisions.id AS revision, revisions.scope AS scope, revisions.file AS file, edit.key * 2 AS place,
      edit.value ->> 'text' AS text, 0 AS is_entry, coalesce(edit.value -> 'path', '[]') AS path
    FROM revisions, json_each(revisions.edits) AS edit
    WHERE edit.value ->> 'kind' IN ('remove', 'replace')
      OR (edit.value ->> 'kind' = 'move' AND edit.value -> 'to' ->> 'file' <> revisions.file)
    UNION ALL
    SELECT revisions.id, revisions.scope, revisions.file, edit.key * 2 + 1,
      CASE edit.value ->> 'kind' WHEN 'replace' THEN edit.value ->> 'words' ELSE edit.value ->> 'text' END, 1,
      coalesce(edit.value -> 'path', '[]')
    FROM revisions, json_each(revisions.edits) AS edit
    WHERE edit.value ->> 'kind' IN ('add', 'replace');
  INSERT INTO known (scope, file, text, entered)
    SELECT scope, file, text, max(CASE is_entry WHEN 1 THEN revision END) FROM turning GROUP BY scope, file, text;
  INSERT INTO turns (revision, place, fact, is_entry, path)
    SELECT revision, place, known.id, is_entry, path FROM turning
    JOIN known ON known.scope = turning.scope AND known.file = turning.file AND known.text = turning.text;
  INSERT INTO unexplained (revision, text)
    SELECT turning.revision, turning.text FROM turning JOIN revisions ON revisions.id = turning.revision
    WHERE is_entry = 0 AND revisions.author = 'run' AND NOT EXISTS (
      SELECT 1 FROM facts WHERE facts.scope = turning.scope AND facts.text = turning.text
      AND facts.retired_by = revisions.run AND facts.retired_reason IS NOT NULL);
  DROP TABLE turning;
  CREATE TABLE run_sums (
    count INTEGER NOT NULL,
    added INTEGER NOT NULL,
    reworded INTEGER NOT NULL,
    retired INTEGER NOT NULL
  ) STRICT;
  INSERT INTO run_sums SELECT count(*), coalesce(sum(payload -> 'counts' ->> 'added'), 0),
    coalesce(sum(payload -> 'counts' ->> 'reworded'), 0), coalesce(sum(payload -> 'counts' ->> 'retired'), 0) FROM runs;
  CREATE TRIGGER runs_counted AFTER INSERT ON runs BEGIN
    UPDATE run_sums SET count = count + 1,
      added = added + coalesce(new.payload -> 'counts' ->> 'added', 0),
      reworded = reworded + coalesce(new.payload -> 'counts' ->> 'reworded', 0),
      retired = retired + coalesce(new.payload -> 'counts' ->> 'retired', 0);
  END;
  CREATE TRIGGER runs_uncounted AFTER DELETE ON runs BEGIN
    UPDATE run_sums SET count = count - 1,
      added = added - coalesce(old.payload -> 'counts' ->> 'added', 0),
      reworded = reworded - coalesce(old.payload -> 'counts' ->> 'reworded', 0),
      retired = retired - coalesce(old.payload -> 'counts' ->> 'retired', 0);
  END;
  CREATE INDEX facts_by_run ON facts (run);
  CREATE INDEX facts_by_heir ON facts (scope, replaced_by) WHERE replaced_by IS NOT NULL;
  CREATE INDEX facts_moved ON facts (scope, text) WHERE substr(retired_reason, 1, 9) = 'moved to ';
  `,
  // How often a job failed, and how often it was begun since it last came to any end, are told apart from its leases.
  `
  ALTER TABLE jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN beginnings INTEGER NOT NULL DEFAULT 0;
  `,
];
