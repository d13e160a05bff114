package api

import "testing"

func scoreErrors(t testing.TB, l *lexicon, d dialect, scores map[string]*tally)   {}
func scoreListings(t testing.TB, l *lexicon, d dialect, scores map[string]*tally) {}
