package store

import "strings"

// schemaReasons keeps the reason of a job as a code with its values beside its
// English text. Jobs that were stored before have the text alone.
const schemaReasons = `ALTER TABLE jobs ADD COLUMN reason TEXT NOT NULL DEFAULT '';`

// reasonVersion is the version of the file that has the column.
const reasonVersion = 3

// columns are those to read: a file that can only be read may be older than the
// column of reasons.
func (s *Store) columns(list string) string {
	if s.older {
		return strings.Replace(list, "error, reason", "error, ''", 1)
	}
	return list
}
