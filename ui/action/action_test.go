package action

import (
	"testing"

	"darkroom/api/sim/simtest/expect"
)

func TestFindMatchesEveryKeyOfAnAction(t *testing.T) {
	t.Parallel()
	table := []Action{
		{Name: "send", Keys: "ctrl+s"},
		{Name: "store"}, // only in the list of all actions
		{Name: "down", Keys: "down j", Display: "j/k", Label: "scroll"},
		{Name: "again", Keys: "j"},
	}
	for key, want := range map[string]string{"ctrl+s": "send", "j": "down", "down": "down", "j/k": "", "": "", "x": ""} {
		got := ""
		if a := Find(table, key); a != nil {
			got = a.Name
		}
		expect.Equal(t, got, want, key, "finds")
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	table := make([]Action, 64)
	for i := range table {
		table[i].Keys = "alt+1 x"
	}
	Find(table, "q")
	expect.Equal(t, testing.AllocsPerRun(20, func() { Find(table, "q") }), 0, "allocations")
}

func TestFirstKeepsEveryAction(t *testing.T) {
	t.Parallel()
	table := []Action{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	got := ""
	for _, a := range First(table, "c", "nobody", "b") {
		got += a.Name
	}
	expect.Equal(t, got, "cbad", "the order")
}
