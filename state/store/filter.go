package store

import (
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// condition is a filter as a part of a query. The zero condition is every job
// of the list.
type condition struct {
	where   []string // joined with AND
	args    []any
	all     bool   // hidden jobs too
	unknown string // the first word that begins like a term and has no meaning
}

func (c *condition) add(where string, args ...any) {
	c.where, c.args = append(c.where, where), append(c.args, args...)
}

// phasesOf are the words after is: that name several phases.
var phasesOf = map[string]string{
	"active": `phase IN ('intent','sending','queued','running','fetching')`,
	"failed": `phase IN ('failed','rejected','not_sent')`,
	"doubt":  `phase IN ('unknown','unread') AND NOT dismissed`,
}

// statesOf are the words after is: that are about anything but the phase.
var statesOf = map[string]string{
	"picked": `pick > 0`, "favourite": `pick > 0`, "favorite": `pick > 0`,
	"rejected": `pick < 0`, "rated": `(pick <> 0 OR stars > 0)`, "unrated": `pick = 0 AND stars = 0`,
	"noted": `note <> ''`, "unseen": `unseen <> 0`, "result": `files > 0`, "hidden": `hidden <> 0`,
	"image": `kind = 'image'`, "video": `kind = 'video'`,
	"expiring": `phase = 'done' AND files = 0 AND expires_at > 0`,
}

// parseFilter reads the words of a filter: each is a word of a job, or one of
// is:, kind:, model:, credits:, since: and stars: with a value. A word that
// begins like one of those and has no meaning is looked for as it is.
func parseFilter(filter string, now time.Time) condition {
	var c condition
	for word := range strings.FieldsSeq(fold(filter)) {
		key, value, ok := strings.Cut(word, ":")
		term, meant := false, false
		if ok {
			term, meant = c.addTerm(key, value, now)
		}
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

// UnknownTerm is the first word of the filter that begins like a term and has no
// meaning, folded; "" when there is none.
func (q Query) UnknownTerm() string { return parseFilter(q.Filter, time.Time{}).unknown }

// addTerm adds what key:value asks for. It reports whether key is one of the terms,
// and whether the value has a meaning for it.
func (c *condition) addTerm(key, value string, now time.Time) (term, meant bool) {
	switch key {
	case "is":
		return true, c.addIs(value)
	case "kind":
		if value != string(api.KindImage) && value != string(api.KindVideo) {
			return true, false
		}
		c.add(`kind = ?`, value)
	case "model":
		if value == "" {
			return true, false
		}
		c.add(`instr(lower(model), ?)`, value)
	case "credits":
		op, rest := comparison(value)
		amount, err := api.ParseCredits(rest)
		if err != nil {
			return true, false
		}
		c.add(`source <> 'none' AND credits `+op+` ?`, int64(amount))
	case "stars":
		op, rest := comparison(value)
		n, err := strconv.Atoi(rest)
		if err != nil {
			return true, false
		}
		c.add(`stars `+op+` ?`, n)
	case "since":
		at, ok := since(value, now)
		if !ok {
			return true, false
		}
		c.add(`created_at >= ?`, millis(at))
	default:
		return false, false
	}
	return true, true
}

// addIs adds a state or a phase. "rejected" is the person's word: requests that
// the service refused are phase:rejected, which is:failed includes.
func (c *condition) addIs(value string) bool {
	if where, ok := statesOf[value]; ok {
		c.all = c.all || value == "hidden"
		c.add(where)
		return true
	}
	if where, ok := phasesOf[value]; ok {
		c.add(where)
		return true
	}
	if !api.Phase(value).Known() {
		return false
	}
	c.add(`phase = ?`, value)
	return true
}

// comparison splits ">=4" into the operator and the rest; without an operator
// it is "=".
func comparison(value string) (op, rest string) {
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if rest, ok := strings.CutPrefix(value, op); ok {
			return op, rest
		}
	}
	return "=", value
}

// since is the beginning of a day: "today", "yesterday", "7d", "2w", or a date
// such as 2026-03-01 or 2026-03.
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

// sorts are the orders of the list by name; "" is newest first.
var sorts = map[string]string{
	"":        `seq DESC`,
	"oldest":  `seq`,
	"credits": `source = 'none', credits DESC, seq DESC`,
	"title":   `lower(title), seq DESC`,
	"time":    `sent_at = 0 OR ended_at = 0, ended_at - sent_at DESC, seq DESC`,
	"stars":   `stars DESC, pick DESC, seq DESC`,
}
