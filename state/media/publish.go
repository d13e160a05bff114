package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/state/store"
)

// maxSameName bounds how many other files may have a result's name.
const maxSameName = 100

// errTakenAway: the part was removed, or is another window's by now.
var errTakenAway = &Error{Reason: whyTakenAway.Reason()}

// publish syncs the part and gives it its own name, never over another file.
// The part's name is gone when it returns without an error.
func (f *Fetcher) publish(root *os.Root, p *part, w Want) (store.File, error) {
	t := sniff(p.head)
	if err := p.file.Sync(); err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	if _, ok := sameFile(root, p.name, p.file); !ok {
		return store.File{}, errTakenAway
	}
	name, err := giveName(root, p, f.names, w, t.ext)
	if err != nil {
		return store.File{}, f.diskError(whyNotTaken, err)
	}
	syncDir(root)
	return f.saved(p, name, w, t), nil
}

// saved is the file of a name that has what went through the part.
func (f *Fetcher) saved(p *part, name string, w Want, t mediaType) store.File {
	return store.File{Path: filepath.Join(f.dir, name), URL: w.Result.URL, MediaType: t.name, Bytes: p.size, SHA256: p.hash()}
}

// giveName links the part to the name, or to the next free one like it when a
// file of other origin has the name.
func giveName(root *os.Root, p *part, names string, w Want, ext string) (string, error) {
	for copies := range maxSameName {
		name := fileName(names, w, copies, ext)
		err := publishAs(root, p, name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", &Error{Reason: whySameName.Reason(fileName(names, w, 0, ext))}
}

// publishAs gives the part a final name: a link cannot replace anything; where
// the file system has no links, a rename that refuses to.
func publishAs(root *os.Root, p *part, name string) error {
	err := root.Link(p.name, name)
	switch {
	case err == nil:
		if _, ok := sameFile(root, name, p.file); !ok { // this process was stopped before the link, and the part taken over
			_ = root.Remove(name)
			return errTakenAway
		}
		// A kill right here leaves two names for one whole file; the next
		// fetch removes the part's.
		_ = root.Remove(p.name)
		return nil
	case errors.Is(err, fs.ErrExist):
		return err
	case full(err):
		return err
	}
	return renameNew(root, p.name, name)
}

// renameLooking is for file systems with neither links nor a refusing rename:
// the windows of darkroom exclude each other by the part's lock, and no other
// program makes such names.
func renameLooking(root *os.Root, from, to string) error {
	if _, err := root.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.Rename(from, to)
}

// published finds the file that this job and number already has: one with the
// content that is known, or without such knowledge one that is not cut short.
func (f *Fetcher) published(ctx context.Context, root *os.Root, w Want) (store.File, bool, error) {
	var file store.File
	found, err := findPublished(root, w.Job, w.N, func(name string) (whole bool, err error) {
		file, whole, err = f.describe(ctx, root, name, w)
		return whole && (w.Known.SHA256 == "" || w.Known.SHA256 == file.SHA256), err
	})
	if err != nil {
		return store.File{}, false, f.diskError(whyNotRead, err)
	}
	return file, found, nil
}

// Intact reports whether a saved file is still on the disk with the content that
// it was saved with.
func Intact(ctx context.Context, f store.File) bool {
	file, err := os.Open(f.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != f.Bytes {
		return false
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, contextReader{ctx, file}); err != nil {
		return ctx.Err() != nil // the caller has given up
	}
	return f.SHA256 == hex.EncodeToString(sum.Sum(nil))
}

// describe reads a file of ours again and reports whether its end is there.
func (f *Fetcher) describe(ctx context.Context, root *os.Root, name string, w Want) (store.File, bool, error) {
	file, err := root.Open(name)
	if err != nil {
		return store.File{}, false, err
	}
	defer file.Close()
	p := &part{file: file, sum: sha256.New()}
	if _, err := io.Copy(recorder{p}, contextReader{ctx, file}); err != nil {
		return store.File{}, false, err
	}
	t := sniff(p.head)
	return f.saved(p, name, w, t), !p.cutShort(t.ext), nil
}

// contextReader ends a long read of a file with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// syncDir makes a new name last; not every system can.
func syncDir(root *os.Root) {
	if d, err := root.Open("."); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// sniffLen is how many bytes decide on a type.
const sniffLen = 512

// mediaType is a kind of file by its first bytes.
type mediaType struct {
	ext  string
	name string
	is   func(head []byte) bool
}

// mediaTypes are the types that darkroom saves under their own extension and
// opens. Everything else is kept as .bin and never opened.
var mediaTypes = [...]mediaType{
	{".png", "image/png", starts("\x89PNG\r\n\x1a\n")},
	{".jpg", "image/jpeg", starts("\xff\xd8\xff")},
	{".webp", "image/webp", func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	}},
	{".gif", "image/gif", func(h []byte) bool { return starts("GIF87a")(h) || starts("GIF89a")(h) }},
	{".mp4", "video/mp4", func(h []byte) bool { return mp4Brand(box(h, "ftyp")) }},
	{".webm", "video/webm", func(h []byte) bool {
		return starts("\x1a\x45\xdf\xa3")(h) && bytes.Contains(h, []byte("\x42\x82\x84webm"))
	}},
	{".mov", "video/quicktime", func(h []byte) bool {
		return box(h, "ftyp") == "qt  " || box(h, "moov") != "" || box(h, "wide") != ""
	}},
}

var unknownType = mediaType{".bin", "application/octet-stream", nil}

// sniff tells the type by magic bytes, whatever a header says.
func sniff(head []byte) mediaType {
	for _, t := range mediaTypes {
		if t.is(head) {
			return t
		}
	}
	return unknownType
}

func starts(magic string) func([]byte) bool {
	return func(h []byte) bool { return bytes.HasPrefix(h, []byte(magic)) }
}

// box gives the 4 bytes after the header of a first ISO box of this name.
func box(h []byte, name string) string {
	if len(h) < 12 || string(h[4:8]) != name || h[0] != 0 && name == "ftyp" {
		return ""
	}
	return string(h[8:12])
}

// mp4Brand reports whether a major brand is video in MP4. Still pictures of
// the same family (avif, heic) are not.
func mp4Brand(brand string) bool {
	for _, p := range [...]string{"isom", "iso", "mp4", "avc", "M4V", "MSNV", "dash", "f4v", "3gp", "3g2", "hvc", "av01", "XAVC", "cmf"} {
		if strings.HasPrefix(brand, p) {
			return true
		}
	}
	return false
}
