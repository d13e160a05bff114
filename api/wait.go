package api

import "time"

// Bounds of a wait that an answer asks for, and the wait without one. Wait
// does not apply them; ClampWait does.
const (
	MinWait     = time.Second
	MaxWait     = time.Hour
	DefaultWait = 60 * time.Second
)

// ClampWait bounds a wait by MinWait and MaxWait.
func ClampWait(d time.Duration) time.Duration { return min(max(d, MinWait), MaxWait) }
