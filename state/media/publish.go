package media

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	return f.saved(p, name, w, t), !cutShort(file, p.size, t.ext), nil
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

const (
	maxSlug  = 60 // bytes
	shortLen = 8  // of a job id, in names: 40 bits
	partMark = ".darkroom-"
	partEnd  = ".part"
)

// usualNames is the pattern of names when none is set.
const usualNames = "{date}-{title}-{id}-{n}"

// fileName is the name of a result, by a pattern that the settings have checked:
// 20260301-harbour-at-dawn-k3v9q2mx-1.png. It is made from our own words and
// those of the request, never from a header or an address. copies above 0 makes
// another name for the same result.
func fileName(pattern string, w Want, copies int, ext string) string {
	title := slugOf(w.Title)
	if title == "" {
		title = string(w.Kind)
	}
	if title == "" {
		title = "result"
	}
	end := nameEnd(w.Job, w.N)
	if copies > 0 {
		end = fmt.Sprintf("-copy%d", copies) + end
	}
	seed := ""
	if w.Seed != nil {
		seed = strconv.FormatInt(*w.Seed, 10)
	}
	at := w.Created.Local()
	pattern = cmp.Or(pattern, usualNames)
	stem := strings.NewReplacer("{date}", at.Format("20060102"), "{time}", at.Format("150405"), "{title}", title,
		"{kind}", string(w.Kind), "{model}", slugOf(w.Model), "{seed}", seed).Replace(strings.TrimSuffix(pattern, "-{id}-{n}"))
	for strings.Contains(stem, "--") { // of what a result does not have
		stem = strings.ReplaceAll(stem, "--", "-")
	}
	stem = strings.Trim(stem, "-. ")
	if stem == "" {
		stem = title
	}
	return stem + end + ext
}

// nameEnd is what tells the results of all jobs apart.
func nameEnd(job string, n int) string {
	id := plainID(job)
	return fmt.Sprintf("-%s-%d", id[:min(len(id), shortLen)], n)
}

// partName is the name of a result on its way.
func partName(job string, n int) string {
	return fmt.Sprintf("%s%s-%d%s", partMark, plainID(job), n, partEnd)
}

// plainID is the job id when it is one of ours; anything else is hashed, so
// that no id can be more than a part of a name.
func plainID(job string) string {
	if len(job) >= shortLen && len(job) <= 64 && strings.Trim(job, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		return job
	}
	sum := sha256.Sum256([]byte(job))
	return hex.EncodeToString(sum[:8])
}

// slugOf keeps the letters and digits of a title, of every script, and joins
// the words by hyphens; at most maxSlug bytes, cut between words when a word
// ends in its second half.
func slugOf(title string) string {
	slug := strings.ToLower(strings.Join(strings.FieldsFunc(title, func(r rune) bool { return !nameRune(r) }), "-"))
	if len(slug) <= maxSlug {
		return slug
	}
	n := maxSlug
	for !utf8.RuneStart(slug[n]) {
		n--
	}
	if i := strings.LastIndexByte(slug[:n], '-'); slug[n] != '-' && i >= maxSlug/2 {
		n = i
	}
	return slug[:n]
}

// nameRune reports whether a character may stand in a name. Letters that draw
// nothing, such as the Hangul fillers, may not.
func nameRune(r rune) bool {
	if r == utf8.RuneError || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
		return false
	}
	return unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

// findPublished looks for a file of this job and number, whatever its date,
// title and type, that fits. Empty files are not results.
func findPublished(root *os.Root, job string, n int, fits func(name string) (bool, error)) (bool, error) {
	dir, err := root.Open(".")
	if err != nil {
		return false, err
	}
	defer dir.Close()
	end := nameEnd(job, n)
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			stem, ok := resultStem(name)
			if !ok || !strings.HasSuffix(stem, end) || strings.HasPrefix(name, ".") {
				continue
			}
			if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				if ok, err := fits(name); ok || err != nil {
					return ok, err
				}
			}
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// resultStem cuts the extension off, if it is one of ours.
func resultStem(name string) (string, bool) {
	for _, t := range mediaTypes {
		if stem, ok := strings.CutSuffix(name, t.ext); ok {
			return stem, true
		}
	}
	return strings.CutSuffix(name, unknownType.ext)
}
