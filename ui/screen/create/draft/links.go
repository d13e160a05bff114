package draft

import (
	"strconv"
	"strings"
	"time"

	"darkroom/state"
	"darkroom/ui/env"
)

// expiresSoon is how little time a signed link may have left before that is a
// warning.
const expiresSoon = time.Hour

// Links is what is known of the materials' links: whether everybody can read
// them, as the service has to. No host is asked before the person has agreed,
// once.
type Links struct {
	Allowed bool
	Asking  map[string]bool
	Found   map[string]Link // by address
	// Uploading are paths as they stand in the rows.
	Uploading map[string]bool
}

// Link is the result of one check.
type Link struct {
	state.Link
	Why string // why the service cannot use it; "" when it can
}

// Problem is why the service cannot use an address, "" when it can or when that
// is not known.
func (l *Links) Problem(address string) string { return l.Found[address].Why }

// facts are what a check found out of an address that is public.
func (l *Links) facts(k *env.Env, address string) []string {
	if l.Uploading[address] {
		return []string{k.Say("uploading …")}
	}
	if l.Asking[address] {
		return []string{k.Say("checking …")}
	}
	found, known := l.Found[address]
	if !known || found.Why != "" {
		return nil
	}
	var out []string
	switch {
	case found.Width > 0:
		out = append(out, strconv.Itoa(found.Width)+"×"+strconv.Itoa(found.Height)+" "+ratio(found.Width, found.Height))
	case found.Type != "":
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(found.Type, "video/"), "audio/"))
	}
	if found.Bytes > 0 {
		out = append(out, fileSize(k, found.Bytes))
	}
	return append(out, k.Say("public")+" ✓")
}

// fileSize writes a length as people read it.
func fileSize(k *env.Env, n int64) string {
	if n < 1e6 {
		return k.Say("%d KB", (n+999)/1000)
	}
	return k.Say("%.1f MB", float64(n)/1e6)
}

// ratio is the nearest ratio of small numbers to that of a picture.
func ratio(w, h int) string {
	for _, r := range [...][2]int{{1, 1}, {4, 3}, {3, 4}, {3, 2}, {2, 3}, {16, 9}, {9, 16}, {21, 9}, {9, 21}, {5, 4}, {4, 5}, {2, 1}, {1, 2}} {
		if d := w*r[1] - h*r[0]; max(d, -d)*50 <= h*r[0] { // within 2 %
			return strconv.Itoa(r[0]) + ":" + strconv.Itoa(r[1])
		}
	}
	if w > h {
		return strconv.FormatFloat(float64(w)/float64(h), 'f', 2, 64) + ":1"
	}
	return "1:" + strconv.FormatFloat(float64(h)/float64(w), 'f', 2, 64)
}
