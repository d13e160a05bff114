-- events has each change of a job's phase, newest last, written with the change.
-- One with waits is for a hook of the settings: a window takes the mark away before
-- it runs the hook, so that no two do. The note hooks names the phases, with commas
-- around each. An intent counts as sending, and a held request only when it waits
-- for the person.
CREATE TABLE events (
  n     INTEGER PRIMARY KEY AUTOINCREMENT,
  job   TEXT NOT NULL,
  phase TEXT NOT NULL,
  at    INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  waits INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX events_waits ON events(n) WHERE waits <> 0;
CREATE INDEX events_job   ON events(job, phase);
-- A hook runs once for a phase of a job, though a file is fetched again; but a job can be held again.
CREATE TRIGGER events_added AFTER INSERT ON events BEGIN
  UPDATE events SET waits = 1 WHERE n = NEW.n AND instr((SELECT value FROM notes WHERE name = 'hooks'), ',' || NEW.phase || ',') > 0
    AND (NEW.phase = 'held' OR NOT EXISTS (SELECT 1 FROM events WHERE job = NEW.job AND phase = NEW.phase AND n < NEW.n));
  DELETE FROM events WHERE n <= NEW.n - 20000;
END;
CREATE TRIGGER events_recorded AFTER INSERT ON jobs BEGIN
  INSERT INTO events (job, phase) VALUES (NEW.id, iif(NEW.phase = 'intent', 'sending', NEW.phase));
END;
CREATE TRIGGER events_moved AFTER UPDATE OF phase ON jobs
  WHEN iif(OLD.phase = 'intent', 'sending', OLD.phase) <> iif(NEW.phase = 'intent', 'sending', NEW.phase) BEGIN
  INSERT INTO events (job, phase) VALUES (NEW.id, iif(NEW.phase = 'intent', 'sending', NEW.phase));
END;
CREATE TRIGGER events_held AFTER INSERT ON held WHEN NEW.owner = '' BEGIN
  INSERT INTO events (job, phase) VALUES (NEW.id, 'held');
END;
CREATE TRIGGER events_paused AFTER UPDATE OF owner ON held WHEN NEW.owner = '' AND OLD.owner <> '' BEGIN
  INSERT INTO events (job, phase) VALUES (NEW.id, 'held');
END;
