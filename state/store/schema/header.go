package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Places in the first page of an SQLite file (its file format, 1.3 and 1.6).
const (
	headerMagic   = "SQLite format 3\x00"
	headerVersion = 60  // user_version
	headerMark    = 68  // application_id
	headerCells   = 103 // how many tables and indexes there are
	headerLen     = 105
)

// Recognize reads the file's header without SQLite, which would change another
// program's file already by opening it for writing. It returns an ErrDamaged for
// what is surely not a store of darkroom, and nil whenever SQLite has to look.
func Recognize(path string) error {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil // the header that counts may be in the log
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, headerLen)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil // just made
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case n < headerLen, !strings.HasPrefix(string(head), headerMagic):
		return fmt.Errorf("%w: it is no SQLite file", ErrDamaged)
	}
	version := int32(binary.BigEndian.Uint32(head[headerVersion:]))
	switch {
	case version == 0 && binary.BigEndian.Uint16(head[headerCells:]) > 0:
		return fmt.Errorf("%w: another program's tables are in it", ErrDamaged)
	case version != 0 && binary.BigEndian.Uint32(head[headerMark:]) != applicationID:
		return fmt.Errorf("%w: it has another program's mark", ErrDamaged)
	}
	return nil
}
