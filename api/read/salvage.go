package read

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"darkroom/api"
)

// MaxCandidates bounds the ids that are offered or probed.
const MaxCandidates = 8

// PollableID reports whether a job id can be asked for: not empty, not "." or
// "..", which a path would swallow, and at most 128 bytes.
func PollableID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= api.MaxIDText
}

// ScanIDs gives the values that may be a job's id from an answer that was
// cut short or proves nothing, best first. accepted is false for answers that
// are not a 2xx: there a request or trace id is all the more likely and left
// out.
func ScanIDs(raw []byte, accepted bool) []string {
	type found struct {
		id   string
		rank int
	}
	var all []found
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var open []bool // for each open bracket, whether it is an object
	key, wantKey := "", false
	for len(all) < 64 {
		token, err := dec.Token()
		if err != nil {
			break
		}
		value := ""
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				if len(open) >= 64 {
					return nil
				}
				open = append(open, v == '{')
			default:
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
		inObject := len(open) > 0 && open[len(open)-1]
		if rank := idRank(key, accepted); inObject && rank > 0 && PollableID(value) {
			all = append(all, found{value, rank})
		}
		wantKey = inObject
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.rank - b.rank })
	var ids []string
	for _, f := range all {
		if !slices.Contains(ids, f.id) && len(ids) < MaxCandidates {
			ids = append(ids, f.id)
		}
	}
	return ids
}

var joints = strings.NewReplacer("_", "", "-", "")

// idRank tells how likely a key holds a job's id: 1 is best, 0 is not at all.
func idRank(key string, accepted bool) int {
	if len(key) > 32 {
		return 0
	}
	switch strings.ToLower(joints.Replace(key)) {
	case "jobid", "job":
		return 1
	case "taskid", "taskuuid":
		return 2
	case "id":
		return 3
	case "generationid", "predictionid", "videoid", "imageid", "queueid", "submitid", "uuid":
		return 4
	case "requestid":
		if accepted {
			return 5
		}
	}
	return 0
}
