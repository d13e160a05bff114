package create

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// checkAfter is how long materials have to stay unchanged before they are
// checked.
const checkAfter = time.Second

// publicCheck is what is known of the materials' links: whether everybody can
// read them, as the service has to. No host is asked before the person has
// agreed, once.
type publicCheck struct {
	allowed bool
	seq     int
	asking  map[string]bool
	found   map[string]string // by address: "" when it is public, else why not
}

// publicDueMsg says that the materials have stayed unchanged long enough.
type publicDueMsg struct{ seq int }

// publicMsg is the result for one address.
type publicMsg struct {
	address string
	err     error
}

// allowedMsg says whether the person's consent could be saved.
type allowedMsg struct{ err error }

func (m allowedMsg) Failed() error { return m.err }

// material is one address of the request under the name that people know.
type material struct{ name, address string }

// checkable are the materials of the request that could be checked now: not
// one that is being typed.
func (c *Screen) checkable() []material {
	d := c.draft()
	var out []material
	for _, kind := range materialKinds {
		for i, address := range d.request.Materials(kind) {
			name := string(kind) + strconv.Itoa(i+1)
			if d.request.Model != api.Seedance2 {
				name = c.env.Say(map[api.MaterialKind]string{api.MaterialImage: "Image", api.MaterialVideo: "Video"}[kind])
			}
			typed, ok := d.form.Focused().(*form.Text)
			if strings.HasPrefix(address, "http") && (!ok || typed.Value() != address) {
				out = append(out, material{name, address})
			}
		}
	}
	return out
}

// follow starts what an edit means outside of the form: another price, and
// materials that have not been checked yet.
func (c *Screen) follow() tea.Cmd { return tea.Batch(c.updatePrice(), c.checkPublicSoon()) }

func (c *Screen) checkPublicSoon() tea.Cmd {
	if !c.public.allowed || len(c.unchecked()) == 0 {
		return nil
	}
	c.public.seq++
	return later(c.env.Context, checkAfter, publicDueMsg{c.public.seq})
}

func (c *Screen) unchecked() []string {
	var out []string
	for _, m := range c.checkable() {
		if _, known := c.public.found[m.address]; !known && !c.public.asking[m.address] {
			out = append(out, m.address)
		}
	}
	return out
}

// checkPublic checks all materials now, after a question when it is the first
// time.
func (c *Screen) checkPublic() tea.Cmd {
	if !c.public.allowed {
		return msg.Open(widget.NewConfirm(c.env, c.env.Say("Check that your links are public?"),
			c.env.Say("darkroom requests each link from this machine, without your key. The hosts will see your IP address. From then on links are checked whenever they change."),
			"y", "check", c.allowPublic))
	}
	clear(c.public.found)
	c.public.seq++
	return c.publicDue(publicDueMsg{c.public.seq})
}

func (c *Screen) allowPublic() tea.Cmd {
	c.public.allowed = true
	check := c.checkPublic()
	c.arrange()
	ctx, b := c.env.Context, c.backend
	return tea.Batch(check, func() tea.Msg { return allowedMsg{b.LetMaterialsBeAsked(ctx)} })
}

func (c *Screen) whyNothingToCheck() string {
	if len(c.checkable()) == 0 {
		return c.env.Say("There is no material yet: add one first.")
	}
	return ""
}

func (c *Screen) publicDue(m publicDueMsg) tea.Cmd {
	if m.seq != c.public.seq {
		return nil
	}
	var cmds []tea.Cmd
	if c.public.asking == nil {
		c.public.asking, c.public.found = map[string]bool{}, map[string]string{}
	}
	ctx, b := c.env.Context, c.backend
	for _, address := range c.unchecked() {
		c.public.asking[address] = true
		cmds = append(cmds, func() tea.Msg { return publicMsg{address, b.Public(ctx, address)} })
	}
	return tea.Batch(cmds...)
}

func (c *Screen) publicFound(m publicMsg) {
	if !c.public.asking[m.address] {
		return
	}
	delete(c.public.asking, m.address)
	c.public.found[m.address] = ""
	if m.err != nil {
		c.public.found[m.address] = c.env.Words.Error(m.err)
	}
}

// publicWords is the result for all materials, behind their number.
func (c *Screen) publicWords() string {
	if c.public.found == nil {
		return ""
	}
	all := c.checkable()
	public := 0
	for _, m := range all {
		if c.public.asking[m.address] {
			return " · " + c.env.Say("checking links …")
		}
		if why, known := c.public.found[m.address]; known && why == "" {
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
	if len(c.public.found) == 0 {
		return ""
	}
	var out []string
	for _, m := range c.checkable() {
		if why := c.public.found[m.address]; why != "" {
			out = append(out, m.name+" "+why)
		}
	}
	return strings.Join(out, "\n")
}
