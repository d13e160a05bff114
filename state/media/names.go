package media

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
)

const (
	maxSlug  = 60 // bytes
	shortLen = 8  // of a job id, in names: 40 bits
)

// defaultNames is the pattern of names when none is set.
const defaultNames = "{date}-{title}-{id}-{n}"

// fileName is the name of a result, by a pattern that the settings have checked:
// 20260301-harbour-at-dawn-k3v9q2mx-1.png. It is made from our own words and
// those of the request, never from a header or an address. copies above 0 makes
// another name for the same result.
func fileName(pattern string, w Want, copies int, ext string) string {
	title := cmp.Or(slugOf(w.Job.Title), string(w.Job.Kind), "result")
	end := nameEnd(w.Job.ID, w.N)
	if copies > 0 {
		end = fmt.Sprintf("-copy%d", copies) + end
	}
	at := w.Job.CreatedAt.Local()
	stem := strings.NewReplacer("{date}", at.Format("20060102"), "{time}", at.Format("150405"), "{title}", title,
		"{kind}", string(w.Job.Kind), "{model}", slugOf(w.Job.Model), "{seed}", w.Job.Request.SeedText(),
	).Replace(strings.TrimSuffix(cmp.Or(pattern, defaultNames), "-{id}-{n}"))
	for strings.Contains(stem, "--") { // of what a result does not have
		stem = strings.ReplaceAll(stem, "--", "-")
	}
	stem = cmp.Or(strings.Trim(stem, "-. "), title)
	if device().MatchString(stem) {
		stem = "_" + stem
	}
	return stem + end + ext
}

// device matches names that Windows takes for devices, whatever follows the dot.
var device = api.Pattern(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9¹²³])\.`)

func nameEnd(job string, n int) string {
	return fmt.Sprintf("-%s-%d", job[:min(len(job), shortLen)], n)
}

// slugOf keeps the letters and digits of a title, of every script, and joins
// the words by hyphens; at most maxSlug bytes, cut between words when a word
// ends in its second half.
func slugOf(title string) string {
	slug := strings.ToLower(strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		// Letters that draw nothing, such as the Hangul fillers, may not stand in a name.
		return !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}), "-"))
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

func resultStem(name string) (string, bool) {
	for _, t := range mediaTypes {
		if stem, ok := strings.CutSuffix(name, t.ext); ok {
			return stem, true
		}
	}
	return name, false
}
