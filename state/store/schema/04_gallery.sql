-- What a person thinks of results, and which request used the
-- result of which job. A rating's former values are kept so that it can be
-- undone. A result is unseen from the moment that its job is done until it was
-- looked at.
ALTER TABLE jobs ADD COLUMN pick   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN stars  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN note   TEXT    NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN unseen INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_unseen ON jobs(seq) WHERE unseen <> 0;
CREATE INDEX jobs_hidden ON jobs(seq) WHERE hidden <> 0;
CREATE INDEX jobs_parent ON jobs(parent) WHERE parent <> '';
CREATE TABLE ratings (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  step  INTEGER NOT NULL,
  seq   INTEGER NOT NULL REFERENCES jobs(seq),
  pick  INTEGER NOT NULL,
  stars INTEGER NOT NULL
);
CREATE TRIGGER jobs_done AFTER UPDATE OF phase ON jobs WHEN NEW.phase = 'done' AND OLD.phase <> 'done' BEGIN
  UPDATE jobs SET unseen = 1 WHERE seq = NEW.seq;
END;

CREATE TABLE uses (
  seq    INTEGER NOT NULL REFERENCES jobs(seq),
  source INTEGER NOT NULL REFERENCES jobs(seq),
  PRIMARY KEY (seq, source)
) WITHOUT ROWID;
CREATE INDEX uses_source ON uses(source);
CREATE INDEX files_url ON files(url);
INSERT OR IGNORE INTO uses
  SELECT d.seq, f.seq FROM details d, json_tree(CASE WHEN json_valid(d.request) THEN d.request ELSE '{}' END) t
  JOIN files f ON f.url = t.atom WHERE t.type = 'text' AND t.key IS NOT 'prompt' AND f.seq <> d.seq;
