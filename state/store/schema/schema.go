// Package schema is the form of the store's SQLite file: the tables of each
// version, how a file of an earlier one is brought to the newest or read as it
// is, and how another program's file is recognized.
package schema

import "embed"

// Each file changes a store from the version before its number to its number.
// They only ever add: no row is dropped. One that was released is never changed.
//
//go:embed *.sql
var files embed.FS

var versions = load()

func load() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var all []string
	for _, e := range entries { // sorted by name
		content, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		all = append(all, string(content))
	}
	return all
}

// Newest is the version that this program writes.
func Newest() int { return len(versions) }

// applicationID marks the file as darkroom's ("drkm"), so that another
// program's database under our name is not mistaken for an old store.
const applicationID = 0x64726b6d
