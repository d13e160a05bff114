package read

import (
	"cmp"
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
	root, err := parseTree(raw)
	if err == errDeep {
		return nil
	}
	var all []rankedID
	for n := range root.below {
		if rank := words().idRank(n.name, accepted); rank > 0 && n.parent.is(shapeObject) && n.shape >= shapeNumber && PollableID(n.scalar()) {
			all = append(all, rankedID{n.text, rank})
		}
		if len(all) == 64 {
			break
		}
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
