-- The reason of a job is kept as a code with its values beside its
-- English text. Jobs that were stored before have the text alone.
ALTER TABLE jobs ADD COLUMN reason TEXT NOT NULL DEFAULT '';
