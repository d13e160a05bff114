package store

// schemaReasons keeps the reason of a job as a code with its values beside its
// English text. Jobs that were stored before have the text alone.
const schemaReasons = `ALTER TABLE jobs ADD COLUMN reason TEXT NOT NULL DEFAULT '';`
