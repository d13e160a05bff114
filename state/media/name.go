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

	"darkroom/api"
)

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
	ok := len(job) >= shortLen && len(job) <= 64
	for i := 0; i < len(job) && ok; i++ {
		c := job[i]
		ok = c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	if ok {
		return job
	}
	sum := sha256.Sum256([]byte(job))
	return hex.EncodeToString(sum[:8])
}

// slugOf keeps the letters and digits of a title, of every script, and joins
// the words by hyphens; at most maxSlug bytes, cut between words when a word
// ends in its second half.
func slugOf(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		if !nameRune(r) {
			gap = b.Len() > 0
			continue
		}
		r = unicode.ToLower(r)
		need := utf8.RuneLen(r)
		if gap {
			need++
		}
		if b.Len()+need > maxSlug {
			return shorten(b.String(), gap)
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// shorten drops the last word when it was cut in the middle.
func shorten(slug string, whole bool) string {
	if i := strings.LastIndexByte(slug, '-'); !whole && i >= maxSlug/2 {
		return slug[:i]
	}
	return slug
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

// SaveAs copies a result file to a path or into a folder that exists, and
// returns the path of the copy. The copy is whole or not there; nothing is
// overwritten. A name without an ending gets that of the file. Errors are
// *Error.
func SaveAs(ctx context.Context, path, to string) (string, error) {
	if err := openable(path); err != nil {
		return "", err
	}
	if to == "" || !filepath.IsAbs(to) || strings.ContainsRune(to, 0) {
		return "", &Error{Reason: whyCopyPath.Reason(), Final: true}
	}
	to = filepath.Clean(to)
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, filepath.Base(path))
	} else if filepath.Ext(to) == "" {
		to += filepath.Ext(path)
	}
	if err := copyNew(ctx, path, to); err != nil {
		why := api.ReasonOf(api.WithoutPath(err))
		switch {
		case errors.Is(err, fs.ErrExist):
			why = whyCopyThere.Reason()
		case errors.Is(err, fs.ErrNotExist):
			why = whyCopyFolder.Reason()
		case errors.Is(err, fs.ErrPermission):
			why = whyCopyDenied.Reason()
		}
		return "", &Error{Reason: whyCopy.Reason(to, why), Cause: err}
	}
	return to, nil
}

// copyNew copies a file to a name that is free. What was begun is removed when
// it cannot be finished.
func copyNew(ctx context.Context, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, contextReader{ctx, in})
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
