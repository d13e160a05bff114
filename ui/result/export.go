package result

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/sheet"
	"darkroom/ui/widget"
)

// export asks for a folder, and makes a contact sheet of the marked results
// there, or of the chosen one.
func (v *Verbs) export() tea.Cmd {
	ids, title := v.marks.IDs(), v.markedTitle()
	if len(ids) == 0 {
		ids, title = []string{v.chosen()}, v.k.Say("Contact sheet")
	}
	k, backend := v.k, v.backend
	ctx, home, say, now := k.Context, k.Home, k.Words, k.Clock
	return msg.Open(widget.NewAsk(k, title, k.Say("The folder for a page with copies of their files: a new or empty one, or one of an earlier export."), func(typed string) tea.Cmd {
		to := absolute(typed, home)
		return func() tea.Msg {
			page, err := exported(ctx, backend, say, ids, to, now())
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.NotifiedMsg{Tone: msg.ToneGood, Text: say.Say("Exported: %s", widget.Tilde(page, home))}
		}
	}))
}

// exported makes a contact sheet of results, the newest first, and gives the
// page's path.
func exported(ctx context.Context, backend JobReader, w sheet.Words, ids []string, dir string, now time.Time) (string, error) {
	var rows []state.Row
	for _, id := range ids {
		job, err := backend.Job(ctx, id)
		if err != nil {
			return "", err
		}
		rows = append(rows, RowOf(&job))
	}
	slices.SortStableFunc(rows, func(a, b state.Row) int { return b.CreatedAt.Compare(a.CreatedAt) })
	page, err := sheet.Open(dir, w)
	if err != nil {
		return "", err
	}
	defer func() { _ = page.Close() }()
	if err := page.Write(ctx, rows, backend.Job, now); err != nil {
		return "", err
	}
	return page.Index(), nil
}
