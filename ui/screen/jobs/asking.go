package jobs

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// onAsked reports whether an agent asked for the selected request, and it waits.
func (s *Screen) onAsked() bool { return asking(s.list.current()) != "" && s.list.current().Paused }

// askedMsg brings what a request of an agent, and all that its entry asks for, cost
// now, and what was spent.
type askedMsg struct {
	row           state.Row
	one, all      state.Offer
	today         state.Spent
	spent         api.Credits // of the entry
	may           state.Grant
	msg.FailedMsg // why there is nothing to review
}

// review asks for the prices of what an agent asks for. No address in it is asked.
func (s *Screen) review() tea.Cmd {
	m, ctx, queue, today := askedMsg{row: *s.list.current()}, s.k.Context, s.queue, s.k.Today
	return func() tea.Msg {
		m.today = today
		if m.one, m.Err = queue.Offer(ctx, m.row.ID, false); len(m.one.Held) == 0 {
			return m
		}
		m.all, _ = queue.Offer(ctx, m.row.ID, true)
		m.spent, m.may, m.Err = queue.SpentBy(ctx, m.row.Entry)
		return m
	}
}

// openReview shows first what is ours: who asks, the price of now, the balance. What
// the agent wrote comes last, marked on each line.
func (s *Screen) openReview(m askedMsg) tea.Cmd {
	if len(m.one.Held) == 0 {
		return nil
	}
	k, h := s.k, m.one.Held[0]
	price := k.Say("price not known")
	if m.one.Known {
		price = k.Say("%s credits now", env.Amount(m.one.Total))
	}
	if m.one.Known && m.one.Total > m.one.Agreed {
		price += ", " + k.Say("%s when it was asked for", env.Amount(m.one.Agreed))
	}
	today, own := m.today, state.Spent{Credits: m.spent.Plus(m.one.Total), Budget: m.may.PerDay}
	today.Credits = today.Credits.Plus(m.one.Total)
	facts := strings.Join(append([]string{price}, widget.RequestFacts(k, h.Request)...), " · ")
	balance := func(before api.Credits, after state.Spent) string {
		said, unsure, leaves := k.TodayLine(before, after)
		return strings.Join(slices.DeleteFunc([]string{said, unsure, leaves}, func(part string) bool { return part == "" }), " · ")
	}
	lines := []string{facts, balance(m.today.Credits, today), m.row.Entry + ": " + balance(m.spent, own), ""}
	if why := k.Reason(m.one.Reason); why != "" {
		if h.Code == "again" {
			why += "\n" + k.Say("Enter agrees to sending it once more.")
		}
		lines = append([]string{why}, lines...)
	}
	text := strings.Join(append(lines, marked(h.Request, markedWidth)...), "\n")
	queue, said := s.queue, k.Say("Declined. Nothing was spent.")
	send := func() tea.Cmd {
		return result.Call(k.Context, k.Say("It is sent in its turn."), func(ctx context.Context) error { return queue.Resume(ctx, m.one) })
	}
	if m.one.Copied { // that takes one more question
		send = func() tea.Cmd { return s.askSend(offeredMsg{offer: m.one}) }
	}
	box := widget.NewConfirm(k, k.Say("Send what %s asks for?", m.row.Entry), text, "enter", "send", send)
	box.Table = slices.Insert(box.Table, 1,
		action.Action{Name: "send_all", Keys: "A shift+a", Display: "A", Label: "send all", Closes: true, Confirms: true,
			Handler: func() tea.Cmd { return s.askSend(offeredMsg{offer: m.all}) }, Offer: func() bool { return len(m.all.Held) > 1 }},
		action.Action{Name: "decline", Keys: "d", Label: "decline", Closes: true, Handler: func() tea.Cmd {
			ask := widget.NewAsk(k, k.Say("Decline"), k.Say("Say why: the agent reads it."), func(why string) tea.Cmd {
				return result.Call(k.Context, said, func(ctx context.Context) error { return queue.Decline(ctx, why, m.row.ID) })
			})
			ask.Table[0].Label = "decline"
			return msg.Open(ask)
		}},
		action.Action{Name: "edit", Keys: "e", Label: "edit", Closes: true, Handler: func() tea.Cmd {
			return func() tea.Msg { return msg.LoadedMsg{Request: h.Request, Asked: &m.row} }
		}})
	return msg.Open(box)
}

const markedWidth, markedLines = 52, 6 // cells of a line in any window that shows a box, and lines

// marked is what an agent wrote: cleaned, cut, and each line with a mark, so that
// none can look like one of ours.
func marked(r api.Request, w int) []string {
	texts := []string{"“" + r.Prompt + "”"}
	for _, f := range api.Fields(r.Kind) {
		if f.Shape == api.ShapeURL {
			texts = append(texts, f.Texts(&r)...)
		}
	}
	var lines []string
	for i, text := range texts {
		some := widget.Wrap(api.Clean(api.OneLine(text), 2000).String(), max(w-3, 1))
		if most := max(markedLines-2*min(i, 2), 2); len(some) > most {
			some = append(some[:most-1], theme.Cut(some[most-1]+" …", w-2))
		}
		lines = append(lines, some...)
	}
	for i := range lines {
		lines[i] = "▏ " + lines[i]
	}
	return lines
}
