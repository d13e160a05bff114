package read

import (
	"strconv"
	"strings"
)

// mostAhead is the highest place in a queue that is believed.
const mostAhead = 1_000_000

// ReadPlace reads the place in the service's queue of a job that waits, from an
// answer about it; 0 when it says none. Services name it queue_position,
// position_in_queue or queue.position; position alone counts only beside the
// status of the job, since results have positions too.
func ReadPlace(raw []byte) int {
	root, err := parseTree(raw)
	if err != nil {
		return 0
	}
	return placeWithin(root.single(), 0)
}

// placeDepth is how far below the top of an answer a job says its place.
const placeDepth = 3

func placeWithin(n *node, depth int) int {
	if !n.is(shapeObject) || depth > placeDepth {
		return 0
	}
	for c := range n.children {
		if namesPlace(n, c) {
			if place, err := strconv.Atoi(c.text); err == nil && place > 0 && place <= mostAhead {
				return place
			}
		}
	}
	for c := range n.children {
		if place := placeWithin(c, depth+1); place > 0 {
			return place
		}
	}
	return 0
}

// namesPlace reports whether a child of n is named as a place in a queue.
func namesPlace(n, c *node) bool {
	switch c.name {
	case "queueposition", "positioninqueue", "queueplace", "placeinqueue":
		return true
	case "position", "place":
		return strings.HasPrefix(n.name, "queue") || n.get("status") != nil
	}
	return false
}
