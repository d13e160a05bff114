// Package crash makes a binary break where a test wants it to: At panics where
// DARKROOM_CRASH says so, in a binary built with the tag crashtest, and does
// nothing in every other.
package crash

// At panics at the call that DARKROOM_CRASH names, as in "update@3".
func At(place string) { crashAt(place) }
