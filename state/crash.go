package state

// CrashAt panics where DARKROOM_CRASH says so, in a binary built to be broken by
// tests, and does nothing in every other.
func CrashAt(place string) { crashAt(place) }
