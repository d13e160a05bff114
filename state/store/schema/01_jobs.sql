-- jobs holds what lists and the poller read, details the long parts,
-- so that a scan of the list stays small. Times are Unix milliseconds, 0 for
-- none. Credits are millionths.
CREATE TABLE jobs (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  confirm_id TEXT NOT NULL UNIQUE,
  parent     TEXT NOT NULL DEFAULT '',
  remote_id  TEXT NOT NULL DEFAULT '',
  base       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  model      TEXT NOT NULL,
  phase      TEXT NOT NULL,
  status     TEXT NOT NULL DEFAULT '',
  error      TEXT NOT NULL DEFAULT '',
  err_class  TEXT NOT NULL DEFAULT '',
  title      TEXT NOT NULL DEFAULT '',
  folded     TEXT NOT NULL DEFAULT '',
  body_hash  TEXT NOT NULL,
  credits    INTEGER NOT NULL DEFAULT 0,
  source     TEXT NOT NULL DEFAULT 'none',
  progress   REAL NOT NULL DEFAULT -1,
  created_at INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL DEFAULT 0,
  ended_at   INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL DEFAULT 0,
  next_poll  INTEGER NOT NULL DEFAULT 0,
  files      INTEGER NOT NULL DEFAULT 0,
  dismissed  INTEGER NOT NULL DEFAULT 0,
  opened     INTEGER NOT NULL DEFAULT 0,
  completed  INTEGER NOT NULL DEFAULT 0,
  owner      TEXT NOT NULL DEFAULT '',
  lease      INTEGER NOT NULL DEFAULT 0,
  epoch      INTEGER NOT NULL DEFAULT 0,
  gone       INTEGER NOT NULL DEFAULT 0,
  gone_since INTEGER NOT NULL DEFAULT 0,
  hollow     INTEGER NOT NULL DEFAULT 0,
  version    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX jobs_remote  ON jobs(remote_id) WHERE remote_id <> '';
CREATE INDEX jobs_ledger  ON jobs(created_at, phase, dismissed, completed, source, credits);
CREATE INDEX jobs_same    ON jobs(body_hash, phase, dismissed, created_at);
CREATE INDEX jobs_due     ON jobs(base, next_poll) WHERE phase IN ('queued','running','fetching');
CREATE INDEX jobs_owner   ON jobs(owner) WHERE owner <> '';
CREATE INDEX jobs_version ON jobs(version);
CREATE INDEX jobs_unsent  ON jobs(phase) WHERE phase IN ('intent','sending');

CREATE TABLE details (
  seq      INTEGER PRIMARY KEY REFERENCES jobs(seq),
  request  TEXT NOT NULL,
  body     BLOB NOT NULL,
  estimate TEXT NOT NULL,
  results  TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE attempts (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  seq         INTEGER NOT NULL REFERENCES jobs(seq),
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL DEFAULT 0,
  phase       TEXT NOT NULL DEFAULT '',
  http_status INTEGER NOT NULL DEFAULT 0,
  headers     TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX attempts_job ON attempts(seq);
CREATE TABLE answers (
  seq   INTEGER NOT NULL REFERENCES jobs(seq),
  call  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  raw   BLOB NOT NULL,
  PRIMARY KEY (seq, call)
) WITHOUT ROWID;
CREATE TABLE files (
  seq        INTEGER NOT NULL REFERENCES jobs(seq),
  n          INTEGER NOT NULL,
  path       TEXT NOT NULL,
  url        TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes      INTEGER NOT NULL,
  sha256     TEXT NOT NULL,
  PRIMARY KEY (seq, n)
) WITHOUT ROWID;

CREATE TABLE drafts (name TEXT PRIMARY KEY, at INTEGER NOT NULL, request TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE prompts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX prompts_at ON prompts(at);
CREATE TABLE cache (kind TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE owners (id TEXT PRIMARY KEY, lock TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE gate (
  base     TEXT PRIMARY KEY,
  until    INTEGER NOT NULL DEFAULT 0,
  strikes  INTEGER NOT NULL DEFAULT 0,
  tokens   REAL NOT NULL DEFAULT 0,
  refilled INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE flights (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  base  TEXT NOT NULL,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL
);

CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('all',0),('active',0),('change',0);
CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN
  UPDATE counters SET n = n+1 WHERE name='all';
  UPDATE counters SET n = n+1 WHERE name='active' AND NEW.phase IN ('intent','sending','queued','running','fetching');
END;
CREATE TRIGGER jobs_moved AFTER UPDATE OF phase ON jobs WHEN OLD.phase <> NEW.phase BEGIN
  UPDATE counters SET n = n
    + (NEW.phase IN ('intent','sending','queued','running','fetching'))
    - (OLD.phase IN ('intent','sending','queued','running','fetching')) WHERE name='active';
END;
