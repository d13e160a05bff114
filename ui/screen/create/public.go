package create

import (
	"slices"
	"strconv"
	"strings"
	"time"

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

// expiresSoon is how little time a signed link may have left before that is a
// warning.
const expiresSoon = time.Hour

// links is what is known of the materials' links: whether everybody can read
// them, as the service has to. No host is asked before the person has agreed,
// once.
type links struct {
	allowed bool
	seq     int
	asking  map[string]bool
	found   map[string]link // by address
	// uploading are paths as they stand in the rows.
	uploading map[string]bool
}

// link is the result of one check.
type link struct {
	state.Link
	why string // why the service cannot use it; "" when it can
}

// problem is why the service cannot use an address, "" when it can or when that
// is not known.
func (l *links) problem(address string) string { return l.found[address].why }

// facts are what a check found out of an address that is public.
func (l *links) facts(k *env.Env, address string) []string {
	if l.uploading[address] {
		return []string{k.Say("uploading …")}
	}
	if l.asking[address] {
		return []string{k.Say("checking …")}
	}
	found, known := l.found[address]
	if !known || found.why != "" {
		return nil
	}
	var out []string
	switch {
	case found.Width > 0:
		out = append(out, strconv.Itoa(found.Width)+"×"+strconv.Itoa(found.Height)+" "+ratio(found.Width, found.Height))
	case found.Type != "":
		out = append(out, strings.TrimPrefix(strings.TrimPrefix(found.Type, "video/"), "audio/"))
	}
	if found.Bytes > 0 {
		out = append(out, fileSize(k, found.Bytes))
	}
	return append(out, k.Say("public")+" ✓")
}

// fileSize writes a length as people read it.
func fileSize(k *env.Env, n int64) string {
	if n < 1e6 {
		return k.Say("%d KB", (n+999)/1000)
	}
	return k.Say("%.1f MB", float64(n)/1e6)
}

// ratio is the nearest ratio of small numbers to that of a picture.
func ratio(w, h int) string {
	for _, r := range [...][2]int{{1, 1}, {4, 3}, {3, 4}, {3, 2}, {2, 3}, {16, 9}, {9, 16}, {21, 9}, {9, 21}, {5, 4}, {4, 5}, {2, 1}, {1, 2}} {
		if d := w*r[1] - h*r[0]; max(d, -d)*50 <= h*r[0] { // within 2 %
			return strconv.Itoa(r[0]) + ":" + strconv.Itoa(r[1])
		}
	}
	if w > h {
		return strconv.FormatFloat(float64(w)/float64(h), 'f', 2, 64) + ":1"
	}
	return "1:" + strconv.FormatFloat(float64(h)/float64(w), 'f', 2, 64)
}

// publicDueMsg says that the materials have stayed unchanged long enough.
type publicDueMsg struct{ seq int }

// publicMsg is the result for one address.
type publicMsg struct {
	address string
	link    state.Link
	err     error
}

// allowedMsg says whether the person's consent could be saved.
type allowedMsg struct{ err error }

func (m allowedMsg) Failed() error { return m.err }

// checkable are the materials in view whose hosts can be asked.
func (c *Screen) checkable() []row {
	return slices.DeleteFunc(c.draft().rows(), func(r row) bool { return !strings.HasPrefix(r.address, "http") })
}

// follow starts what an edit means outside of the form: another price, and
// materials that have not been checked yet.
func (c *Screen) follow() tea.Cmd { return tea.Batch(c.updatePrice(), c.checkPublicSoon()) }

func (c *Screen) checkPublicSoon() tea.Cmd {
	if !c.public.allowed || len(c.unchecked()) == 0 {
		return nil
	}
	c.public.seq++
	return env.Later(c.env.Context, checkAfter, publicDueMsg{c.public.seq})
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
	return tea.Batch(check, func() tea.Msg { return allowedMsg{b.Materials().LetBeAsked(ctx)} })
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
		c.public.asking, c.public.found = map[string]bool{}, map[string]link{}
	}
	ctx, b := c.env.Context, c.backend
	for _, address := range c.unchecked() {
		c.public.asking[address] = true
		cmds = append(cmds, func() tea.Msg {
			found, err := b.Materials().Public(ctx, address)
			return publicMsg{address, found, err}
		})
	}
	c.draft().form.Settle()
	return tea.Batch(cmds...)
}

func (c *Screen) publicFound(m publicMsg) {
	if !c.public.asking[m.address] {
		return
	}
	delete(c.public.asking, m.address)
	found := link{Link: m.link}
	switch kind, ok := c.kindOf(m.address); {
	case m.err != nil:
		found.why = c.env.Words.Error(m.err)
	case ok && m.link.Page():
		found.why = c.env.Say("is a page, not a file")
	case ok && !m.link.Fits(kind):
		found.why = c.env.Say("is %s, which does not fit", m.link.Type)
	}
	c.public.found[m.address] = found
	for _, d := range c.drafts {
		d.form.Settle()
	}
}

// kindOf is the kind of material that an address in view is meant to be.
func (c *Screen) kindOf(address string) (api.MaterialKind, bool) {
	for _, r := range c.draft().rows() {
		if r.address == address {
			return c.draft().materialKind(r.kind), true
		}
	}
	return "", false
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
		if found, known := c.public.found[m.address]; known && found.why == "" {
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
		if why := c.public.problem(m.address); why != "" {
			out = append(out, m.name+" "+why)
		}
	}
	return strings.Join(out, "\n")
}
