package widget

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func typeInto(f *Filter, text string) (last tea.Cmd) {
	for _, r := range text {
		last, _ = f.Edit(context.Background(), tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return last
}

func TestAFilterIsDueForItsLastTextAlone(t *testing.T) {
	t.Parallel()
	f, other := NewFilter("jobs"), NewFilter("prices")
	f.Start()
	other.Start()
	early, late := typeInto(&f, "k"), typeInto(&f, "oi")
	typeInto(&other, "koi")
	first, last := early().(FilterDueMsg), late().(FilterDueMsg)
	if f.Due(first) || !f.Due(last) || other.Due(last) {
		t.Errorf("due for the first key: %v, for the last: %v, for another filter's: %v", f.Due(first), f.Due(last), other.Due(last))
	}
	f.Reset()
	if f.Due(last) || f.Text() != "" || f.Editing() {
		t.Errorf("after a reset it is due: %v, holds %q, is edited: %v", f.Due(last), f.Text(), f.Editing())
	}
}

func TestAFilterStandsInTheTitle(t *testing.T) {
	t.Parallel()
	f := NewFilter("jobs")
	if got := f.Title(60, "Jobs"); got != "Jobs" || f.Cursor(60) != nil {
		t.Errorf("unused, its title is %q", got)
	}
	f.Start()
	typeInto(&f, "纸船")
	if got, c := f.Title(60, "Jobs"), f.Cursor(60); got != "/ 纸船" || c == nil || c.X != 9 {
		t.Errorf("title %q, cursor %v", got, c)
	}
	if cmd, taken := f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyLeft}); cmd != nil || !taken {
		t.Error("moving the cursor asks for the list, or is not taken")
	}
	f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyEnter})
	if f.Editing() || f.Title(60, "Jobs") != "/ 纸船" {
		t.Errorf("after enter: edited %v, title %q", f.Editing(), f.Title(60, "Jobs"))
	}
}
