package media

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxSlug  = 60 // bytes
	shortLen = 8  // of a job id, in names: 40 bits
	partMark = ".darkroom-"
	partEnd  = ".part"
)

// defaultNames is the pattern of names when none is set.
const defaultNames = "{date}-{title}-{id}-{n}"

// fileName is the name of a result, by a pattern that the settings have checked:
// 20260301-harbour-at-dawn-k3v9q2mx-1.png. It is made from our own words and
// those of the request, never from a header or an address. copies above 0 makes
// another name for the same result.
func fileName(pattern string, w Want, copies int, ext string) string {
	title := cmp.Or(slugOf(w.Title), string(w.Kind), "result")
	end := nameEnd(w.Job, w.N)
	if copies > 0 {
		end = fmt.Sprintf("-copy%d", copies) + end
	}
	seed := ""
	if w.Seed != nil {
		seed = strconv.FormatInt(*w.Seed, 10)
	}
	at := w.Created.Local()
	pattern = cmp.Or(pattern, defaultNames)
	stem := strings.NewReplacer("{date}", at.Format("20060102"), "{time}", at.Format("150405"), "{title}", title,
		"{kind}", string(w.Kind), "{model}", slugOf(w.Model), "{seed}", seed).Replace(strings.TrimSuffix(pattern, "-{id}-{n}"))
	for strings.Contains(stem, "--") { // of what a result does not have
		stem = strings.ReplaceAll(stem, "--", "-")
	}
	return cmp.Or(strings.Trim(stem, "-. "), title) + end + ext
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

// resultStem cuts the extension off, if it is one of ours.
func resultStem(name string) (string, bool) {
	for _, t := range mediaTypes {
		if stem, ok := strings.CutSuffix(name, t.ext); ok {
			return stem, true
		}
	}
	return strings.CutSuffix(name, unknownType.ext)
}
