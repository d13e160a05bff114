//go:build !linux

package media

import "os"

// renameNew renames without replacing anything.
func renameNew(root *os.Root, from, to string) error { return renameLooking(root, from, to) }
