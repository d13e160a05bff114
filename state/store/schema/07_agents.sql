-- asked has each request that an agent asked for under the name of an entry, for
-- ever: an intent of an entry stands for the same requests for ever. While it
-- waits it is in held too, afterwards in jobs, under the same id; code and reason
-- say why neither has it any more. whole is the hash of all requests of the
-- intent, body_hash that of the one body. granted: the settings let it be sent
-- without the person.
CREATE TABLE asked (
  id          TEXT PRIMARY KEY,
  entry       TEXT NOT NULL,
  intent      TEXT NOT NULL,
  place       INTEGER NOT NULL,
  whole       TEXT NOT NULL,
  body_hash   TEXT NOT NULL,
  kind        TEXT NOT NULL,
  model       TEXT NOT NULL,
  max_credits INTEGER NOT NULL,
  granted     INTEGER NOT NULL DEFAULT 0,
  asked_at    INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL DEFAULT 0,
  code        TEXT NOT NULL DEFAULT '',
  reason      TEXT NOT NULL DEFAULT '',
  UNIQUE (entry, intent, place)
) WITHOUT ROWID;
CREATE INDEX asked_body ON asked(entry, body_hash, code, ended_at);
CREATE INDEX asked_at   ON asked(entry, asked_at);
ALTER TABLE jobs ADD COLUMN entry TEXT NOT NULL DEFAULT '';
CREATE INDEX jobs_entry ON jobs(entry, created_at) WHERE entry <> '';
