package action

import "testing"

func TestFindMatchesEveryKeyOfAnAction(t *testing.T) {
	t.Parallel()
	table := []Action{
		{Name: "send", Keys: []string{"ctrl+s"}},
		{Name: "store"}, // only in the list of all actions
		{Name: "down", Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll"},
		{Name: "again", Keys: []string{"j"}},
	}
	for key, want := range map[string]string{"ctrl+s": "send", "j": "down", "down": "down", "j/k": "", "": "", "x": ""} {
		got := ""
		if a := Find(table, key); a != nil {
			got = a.Name
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", key, got, want)
		}
	}
}

func TestBindingIsTheSameBeforeAndAfterTheFirstKey(t *testing.T) {
	t.Parallel()
	table := []Action{{Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll"}, {Keys: []string{"enter"}, Label: "send"}, {Label: "quit"}}
	for range 2 {
		for i, want := range []struct {
			key, label string
			enabled    bool
		}{{"j/k", "scroll", true}, {"enter", "send", true}, {"", "quit", false}} {
			b := table[i].Binding()
			if h := b.Help(); h.Key != want.key || h.Desc != want.label || b.Enabled() != want.enabled {
				t.Errorf("%d: %+v, enabled %t", i, b.Help(), b.Enabled())
			}
		}
		Find(table, "x")
	}
	table[1].Label = "send again" // an overlay may change what its key says
	if got := table[1].Binding().Help().Desc; got != "send again" {
		t.Errorf("the label is still %q", got)
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	table := make([]Action, 64)
	for i := range table {
		table[i].Keys = []string{"alt+1", "x"}
	}
	Find(table, "q")
	if n := testing.AllocsPerRun(20, func() { Find(table, "q") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFirstKeepsEveryAction(t *testing.T) {
	t.Parallel()
	table := []Action{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	got := ""
	for _, a := range First(table, "c", "nobody", "b") {
		got += a.Name
	}
	if got != "cbad" {
		t.Errorf("the order is %q", got)
	}
}
