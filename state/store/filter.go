package store

import (
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// condition is a filter as a part of a query; the zero one is every job.
type condition struct {
	where   []string // joined with AND
	args    []any
	all     bool   // hidden jobs too
	unknown string // the first word that begins like a term and has no meaning
}

// listed leaves hidden jobs out unless the filter asks for them.
func (c condition) listed() condition {
	if !c.all {
		c.add(`hidden = 0`)
	}
	return c
}

func (c *condition) add(where string, args ...any) {
	c.where, c.args = append(c.where, where), append(c.args, args...)
}

// statesOf are the words after is: that are no phase, or stand for more than one.
var statesOf = map[string]string{
	"active": `phase IN ('intent','sending','queued','running','fetching')`,
	"failed": `phase IN ('failed','rejected','not_sent')`,
	"doubt":  `phase IN ('unknown','unread') AND NOT dismissed`,
	"picked": `pick > 0`, "favourite": `pick > 0`, "favorite": `pick > 0`,
	"rejected": `(pick < 0 OR phase = 'rejected')`, "rated": `(pick <> 0 OR stars > 0)`, "unrated": `pick = 0 AND stars = 0`,
	"noted": `note <> ''`, "unseen": `unseen <> 0`, "result": `files > 0`, "hidden": `hidden <> 0`,
	"image": `kind = 'image'`, "video": `kind = 'video'`,
	"expiring": `phase = 'done' AND files = 0 AND expires_at > 0`,
}

// parseFilter reads the words of a filter: each is a word of a job, or one of
// is:, kind:, model:, credits:, since: and rating: with a value. A word that
// begins like one of those and has no meaning is looked for as it is.
func parseFilter(filter string, now time.Time) condition {
	var c condition
	for word := range strings.FieldsSeq(fold(filter)) {
		n := strings.IndexByte(word, ':') + 1
		term, meant := c.addTerm(word[:n], word[n:], now)
		if meant {
			continue
		}
		if term && c.unknown == "" {
			c.unknown = word
		}
		c.add(`(instr(folded, ?) OR instr(phase, ?) OR instr(lower(status), ?) OR instr(lower(remote_id), ?) OR instr(lower(note), ?))`,
			word, word, word, word, word)
	}
	return c
}

// UnknownTerm is the first word that begins like a term and has no meaning, or "".
func (q Query) UnknownTerm() string { return parseFilter(q.Filter, time.Time{}).unknown }

// addTerm adds what a key such as is: asks for with a value. It reports whether key is a term, and
// whether the value has a meaning for it.
func (c *condition) addTerm(key, value string, now time.Time) (term, meant bool) {
	where, arg := "", any(value)
	switch key {
	case "is:":
		return true, c.addIs(value)
	case "kind:":
		if value == string(api.KindImage) || value == string(api.KindVideo) {
			where = `kind = ?`
		}
	case "model:":
		if value != "" {
			where = `instr(lower(model), ?)`
		}
	case "credits:":
		op, rest := comparison(value)
		if amount, err := api.ParseCredits(rest); err == nil {
			where, arg = `source <> 'none' AND credits `+op+` ?`, int64(amount)
		}
	case "stars:", "rating:":
		op, rest := comparison(value)
		if n, err := strconv.Atoi(rest); err == nil {
			where, arg = `stars `+op+` ?`, n
		}
	case "since:":
		if at, ok := since(value, now); ok {
			where, arg = `created_at >= ?`, millis(at)
		}
	default:
		return false, false
	}
	if where != "" {
		c.add(where, arg)
	}
	return true, where != ""
}

// addIs adds a state or a phase. "rejected" is the person's word and the service's.
func (c *condition) addIs(value string) bool {
	switch {
	case statesOf[value] != "":
		c.all = c.all || value == "hidden"
		c.add(statesOf[value])
	case api.Phase(value).Known():
		c.add(`phase = ?`, value)
	default:
		return false
	}
	return true
}

// comparison splits ">=4" into operator and rest; "4" means "=4".
func comparison(value string) (op, rest string) {
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if rest, ok := strings.CutPrefix(value, op); ok {
			return op, rest
		}
	}
	return "=", value
}

// since is the beginning of a day: today, yesterday, 7d, 2w, 2026-03-01 or 2026-03.
func since(value string, now time.Time) (time.Time, bool) {
	day := DayStart(now)
	switch value {
	case "today":
		return day, true
	case "yesterday":
		return day.AddDate(0, 0, -1), true
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, ok := strings.CutSuffix(value, unit); ok {
			if count, err := strconv.Atoi(n); err == nil && count >= 0 && count < 100_000 {
				return day.AddDate(0, 0, -count*days), true
			}
		}
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.ParseInLocation(layout, value, now.Location()); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// sorts are the orders of the list by name; "" is that of every other name, too.
var sorts = map[string]string{
	"":        `seq DESC`,
	"oldest":  `seq`,
	"credits": `source = 'none', credits DESC, seq DESC`,
	"title":   `lower(title), seq DESC`,
	"time":    `sent_at = 0 OR ended_at = 0, ended_at - sent_at DESC, seq DESC`,
	"stars":   `stars DESC, pick DESC, seq DESC`,
}
