package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// withChecksums writes the checksums of a PNG's chunks anew; nil when it is none.
// Programs that write them wrong are about, and other viewers do not look.
func withChecksums(r io.Reader) io.Reader {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes))
	if err != nil || !bytes.HasPrefix(b, []byte(pngMagic)) {
		return nil
	}
	for at := len(pngMagic); at+12 <= len(b); {
		n := int64(binary.BigEndian.Uint32(b[at:]))
		end := int64(at) + 8 + n
		if end+4 > int64(len(b)) {
			break
		}
		binary.BigEndian.PutUint32(b[end:], crc32.ChecksumIEEE(b[at+4:end]))
		at = int(end) + 4
	}
	return bytes.NewReader(b)
}
