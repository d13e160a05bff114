package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// rankedID is an id with the place of its key's list: 1 is best.
type rankedID struct {
	id   string
	rank int
}

// ScanIDs gives the values that may be a job's id from an answer that was
// cut short or proves nothing, best first. accepted is false for answers that
// are not a 2xx: there a request or trace id is all the more likely and left
// out.
func ScanIDs(raw []byte, accepted bool) []string {
	var all []rankedID
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var open []bool // for each open bracket, whether it is an object
	key, wantKey := "", false
	for len(all) < 64 && len(open) <= maxDepth {
		token, err := dec.Token()
		if err != nil {
			break
		}
		inObject := len(open) > 0 && open[len(open)-1]
		value := ""
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				open = append(open, v == '{')
			} else {
				open = open[:len(open)-1]
			}
			key, wantKey = "", len(open) > 0 && open[len(open)-1]
			continue
		case string:
			if wantKey {
				key, wantKey = v, false
				continue
			}
			value = v
		case json.Number:
			value = v.String()
		}
		if rank := words.idRank(foldWord(key), accepted); inObject && rank > 0 && PollableID(value) {
			all = append(all, rankedID{value, rank})
		}
		wantKey = inObject
	}
	if len(open) > maxDepth {
		return nil
	}
	slices.SortStableFunc(all, func(a, b rankedID) int { return cmp.Compare(a.rank, b.rank) })
	var ids []string
	for _, f := range all {
		if !slices.Contains(ids, f.id) && len(ids) < MaxCandidates {
			ids = append(ids, f.id)
		}
	}
	return ids
}

// idRank says how likely a key holds a job's id: 1 is best, 0 is not at all.
func (l *vocabulary) idRank(name string, accepted bool) int {
	for i, names := range l.idLists {
		if slices.Contains(names, name) || i == 0 && name == "job" {
			if i == len(l.idLists)-1 && !accepted {
				return 0
			}
			return i + 1
		}
	}
	return 0
}
