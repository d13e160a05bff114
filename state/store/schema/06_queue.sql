-- agreements are what a person confirmed as one: the pattern and
-- the total. held has those of their requests that were not sent yet. A request
-- leaves it in the transaction that makes it a job, under the same id, so the
-- ledger never sees it before. owner is the window that sends it in its turn;
-- without one it waits for the person, and code and reason say why.
CREATE TABLE agreements (
  id       TEXT PRIMARY KEY,
  base     TEXT NOT NULL,
  pattern  TEXT NOT NULL,
  requests INTEGER NOT NULL,
  credits  INTEGER NOT NULL DEFAULT 0,
  at       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE held (
  place      INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  confirm_id TEXT NOT NULL UNIQUE,
  agreement  TEXT NOT NULL REFERENCES agreements(id),
  owner      TEXT NOT NULL DEFAULT '',
  code       TEXT NOT NULL DEFAULT '',
  reason     TEXT NOT NULL DEFAULT '',
  again      INTEGER NOT NULL DEFAULT 0,
  base       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  model      TEXT NOT NULL,
  title      TEXT NOT NULL DEFAULT '',
  label      TEXT NOT NULL DEFAULT '',
  credits    INTEGER NOT NULL DEFAULT 0,
  source     TEXT NOT NULL DEFAULT 'none',
  request    TEXT NOT NULL,
  body       BLOB NOT NULL,
  estimate   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  version    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX held_owner     ON held(owner) WHERE owner <> '';
CREATE INDEX held_agreement ON held(agreement);
ALTER TABLE jobs ADD COLUMN agreement TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN label TEXT NOT NULL DEFAULT '';
CREATE INDEX jobs_agreement ON jobs(agreement) WHERE agreement <> '';
