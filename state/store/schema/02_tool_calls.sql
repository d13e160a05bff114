-- Calls of tools that may spend stand in the ledger beside the jobs.
CREATE TABLE toolcalls (
  id         TEXT PRIMARY KEY,
  owner      TEXT NOT NULL DEFAULT '',
  base       TEXT NOT NULL,
  name       TEXT NOT NULL,
  phase      TEXT NOT NULL,
  error      TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX toolcalls_ledger ON toolcalls(created_at, phase, name);
