package api

import (
	"fmt"
	"strconv"
	"strings"
)

// ParsePath splits a.b[0].c into its steps.
func ParsePath(path string) ([]string, error) {
	var steps []string
	for _, part := range strings.Split(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name != "" {
			steps = append(steps, name)
		}
		if !indexed && name == "" {
			return nil, fmt.Errorf("an empty step")
		}
		for indexed {
			var index string
			var closed bool
			index, rest, closed = strings.Cut(rest, "]")
			if n, err := strconv.Atoi(index); err != nil || n < 0 || !closed {
				return nil, fmt.Errorf("[%s is no index", index)
			}
			steps = append(steps, "["+index+"]")
			if rest == "" {
				break
			}
			if !strings.HasPrefix(rest, "[") {
				return nil, fmt.Errorf("%s follows an index", rest)
			}
			rest = rest[1:]
		}
	}
	return steps, nil
}

// CheckJobIDPath reports whether a path can be followed.
func CheckJobIDPath(path string) error {
	if path == "(root)" {
		return nil
	}
	if _, err := ParsePath(path); err != nil || len(path) > 200 {
		return whyJobIDPath.Fault(nil)
	}
	return nil
}

var whyJobIDPath = Declare("job_id_path", "write a path such as data.task_id or data.tasks[0].id")
