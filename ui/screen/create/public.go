package create

import (
	"slices"
	"strings"
	"time"

	"darkroom/ui/screen/create/draft"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// checkAfter is how long materials have to stay unchanged before they are
// checked.
const checkAfter = time.Second

// publicDueMsg says that the materials have stayed unchanged long enough.
type publicDueMsg struct{ seq int }

type publicMsg struct {
	address string
	link    state.Link
	err     error
}

// allowedMsg says whether the person's consent could be saved.
type allowedMsg struct{ msg.FailedMsg }

// checkable are the materials in view whose hosts can be asked.
func (c *Screen) checkable() []draft.Row {
	return slices.DeleteFunc(c.draft().Rows(), func(r draft.Row) bool { return !strings.HasPrefix(r.Address, "http") })
}

// follow starts what an edit means outside of the form: another price, and
// materials that have not been checked yet. What a person does not edit just now
// needs no quiet.
func (c *Screen) follow(quiet time.Duration) tea.Cmd {
	return tea.Batch(c.updatePrice(quiet), c.checkPublicSoon(), c.lookUpMaterials())
}

func (c *Screen) checkPublicSoon() tea.Cmd {
	if !c.public.Allowed || len(c.unchecked()) == 0 {
		return nil
	}
	c.checks++
	return env.Later(c.env.Context, checkAfter, publicDueMsg{c.checks})
}

func (c *Screen) unchecked() []string {
	var out []string
	for _, m := range c.checkable() {
		if _, known := c.public.Found[m.Address]; !known && !c.public.Asking[m.Address] {
			out = append(out, m.Address)
		}
	}
	return out
}

// checkPublic checks all materials now, after a question when it is the first
// time.
func (c *Screen) checkPublic() tea.Cmd {
	if !c.public.Allowed {
		return msg.Open(widget.NewConfirm(c.env, c.env.Say("Check that your links are public?"),
			c.env.Say("darkroom requests each link from this machine, without your key. The hosts will see your IP address. From then on links are checked whenever they change."),
			"y", "check", c.allowPublic))
	}
	clear(c.public.Found)
	c.checks++
	return c.publicDue(publicDueMsg{c.checks})
}

func (c *Screen) allowPublic() tea.Cmd {
	c.public.Allowed = true
	check := c.checkPublic()
	c.arrange()
	ctx, b := c.env.Context, c.backend
	return tea.Batch(check, func() tea.Msg { return allowedMsg{msg.FailedMsg{Err: b.Materials().LetBeAsked(ctx)}} })
}

func (c *Screen) whyNothingToCheck() string {
	return c.env.SayIf(len(c.checkable()) == 0, "There is no material yet: add one first.")
}

func (c *Screen) publicDue(m publicDueMsg) tea.Cmd {
	if m.seq != c.checks {
		return nil
	}
	var cmds []tea.Cmd
	if c.public.Asking == nil {
		c.public.Asking, c.public.Found = map[string]bool{}, map[string]draft.Link{}
	}
	ctx, b := c.env.Context, c.backend
	for _, address := range c.unchecked() {
		c.public.Asking[address] = true
		cmds = append(cmds, func() tea.Msg {
			found, err := b.Materials().Public(ctx, address)
			return publicMsg{address, found, err}
		})
	}
	c.draft().Form.Settle()
	return tea.Batch(cmds...)
}

func (c *Screen) publicFound(m publicMsg) {
	if !c.public.Asking[m.address] {
		return
	}
	delete(c.public.Asking, m.address)
	found := draft.Link{Link: m.link}
	switch kind, ok := c.kindOf(m.address); {
	case m.err != nil:
		found.Why = c.env.Words.Error(m.err)
	case ok && m.link.Page():
		found.Why = c.env.Say("is a page, not a file")
	case ok && !m.link.Fits(kind):
		found.Why = c.env.Say("is %s, which does not fit", m.link.Type)
	}
	c.public.Found[m.address] = found
	for _, d := range c.drafts {
		d.Form.Settle()
	}
}

// kindOf is the kind of material that an address in view is meant to be.
func (c *Screen) kindOf(address string) (api.MaterialKind, bool) {
	for _, r := range c.draft().Rows() {
		if r.Address == address {
			return c.draft().MaterialKind(r.Kind), true
		}
	}
	return "", false
}

// publicWords is the result for all materials, behind their number.
func (c *Screen) publicWords() string {
	if c.public.Found == nil {
		return ""
	}
	all := c.checkable()
	public := 0
	for _, m := range all {
		if c.public.Asking[m.Address] {
			return " · " + c.env.Say("checking links …")
		}
		if found, known := c.public.Found[m.Address]; known && found.Why == "" {
			public++
		}
	}
	if public == 0 || public < len(all) {
		return ""
	}
	return " · " + c.env.Say("public")
}

// unreadable are the materials that the service will not be able to read, one
// a line.
func (c *Screen) unreadable() string {
	if len(c.public.Found) == 0 {
		return ""
	}
	var out []string
	for _, m := range c.checkable() {
		if why := c.public.Problem(m.Address); why != "" {
			out = append(out, m.Name+" "+why)
		}
	}
	return strings.Join(out, "\n")
}
