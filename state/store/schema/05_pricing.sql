-- What a price was said to be, whenever that changed, and the
-- person's named plans. A name in prices is an estimate key, a listed model or a
-- pair of the rate table, by source.
CREATE TABLE prices (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  base    TEXT NOT NULL,
  source  TEXT NOT NULL,
  name    TEXT NOT NULL,
  credits INTEGER NOT NULL,
  unit    TEXT NOT NULL DEFAULT '',
  at      INTEGER NOT NULL
);
CREATE INDEX prices_name ON prices(base, source, name, id);
CREATE TABLE plans (name TEXT PRIMARY KEY, at INTEGER NOT NULL, items TEXT NOT NULL) WITHOUT ROWID;
