package create

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// RestsFor is how long materials stay as they are before their hosts are asked.
const RestsFor = time.Second

// publicity is what is known of the materials: whether everybody can read them,
// as the service has to. Nobody is asked before the person has agreed, once.
type publicity struct {
	may    bool
	seq    int
	asking map[string]bool
	told   map[string]string // by address: "" when it is public, else why not
}

// publicDueMsg says that the materials have rested; publicMsg is what one host
// told.
type (
	publicDueMsg struct{ seq int }
	publicMsg    struct {
		address string
		err     error
	}
	mayAskMsg struct{ err error }
)

func (m mayAskMsg) Failed() error { return m.err }

// material is one address of the request under the name that people know.
type material struct{ name, address string }

// materials are those of the request that could be asked for now: not one that
// is being typed.
func (c *Screen) materials() []material {
	s := c.Sheet()
	var out []material
	for _, kind := range []api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio} {
		for i, address := range s.Req.Materials(kind) {
			name := string(kind) + strconv.Itoa(i+1)
			if s.Req.Model != api.Seedance2 {
				name = c.k.Say(map[api.MaterialKind]string{api.MaterialImage: "Image", api.MaterialVideo: "Video"}[kind])
			}
			typed, ok := s.Form.Focused().(*form.Text)
			if strings.HasPrefix(address, "http") && (!ok || typed.Value() != address) {
				out = append(out, material{name, address})
			}
		}
	}
	return out
}

// follow looks what an edit means outside of the form: another price, materials
// that nobody has asked for yet.
func (c *Screen) follow() tea.Cmd { return tea.Batch(c.reprice(), c.askPublicSoon()) }

func (c *Screen) askPublicSoon() tea.Cmd {
	if len(c.public.told) > 0 {
		c.drawn.side = nil // what is not public may have another name now
	}
	if !c.public.may || len(c.unasked()) == 0 {
		return nil
	}
	c.public.seq++
	return later(c.k.Context, RestsFor, publicDueMsg{c.public.seq})
}

func (c *Screen) unasked() []string {
	var out []string
	for _, m := range c.materials() {
		if _, told := c.public.told[m.address]; !told && !c.public.asking[m.address] {
			out = append(out, m.address)
		}
	}
	return out
}

// askPublic asks now, after a question when it is the first time.
func (c *Screen) askPublic() tea.Cmd {
	if !c.public.may {
		k := c.k
		return msg.Open(widget.NewConfirm(k, k.Say("Ask the hosts of your materials?"),
			k.Say("Each address is asked from this machine whether everybody can read it, without your key. The hosts see where you are. From then on this happens whenever materials change."),
			"y", "ask them", func() tea.Cmd {
				c.public.may = true
				ctx, d := k.Context, c.backend
				return tea.Batch(c.askPublic(), func() tea.Msg { return mayAskMsg{d.LetMaterialsBeAsked(ctx)} })
			}))
	}
	clear(c.public.told)
	c.public.seq++
	return c.publicDue(publicDueMsg{c.public.seq})
}

func (c *Screen) whyNothingToAsk() string {
	if len(c.materials()) == 0 {
		return c.k.Say("There is no material yet: add one first.")
	}
	return ""
}

func (c *Screen) publicDue(m publicDueMsg) tea.Cmd {
	if m.seq != c.public.seq {
		return nil
	}
	var cmds []tea.Cmd
	if c.public.asking == nil {
		c.public.asking, c.public.told = map[string]bool{}, map[string]string{}
	}
	ctx, d := c.k.Context, c.backend
	for _, address := range c.unasked() {
		c.public.asking[address] = true
		cmds = append(cmds, func() tea.Msg { return publicMsg{address, d.Public(ctx, address)} })
	}
	c.drawn.side = nil
	return tea.Batch(cmds...)
}

func (c *Screen) publicTold(m publicMsg) {
	delete(c.public.asking, m.address)
	c.public.told[m.address] = ""
	if m.err != nil {
		c.public.told[m.address] = c.k.Translate(m.err.Error())
	}
	c.drawn.side = nil
}

// publicWords is the standing of all of them, behind their number.
func (c *Screen) publicWords() string {
	all := c.materials()
	known := 0
	for _, m := range all {
		if c.public.asking[m.address] {
			return " · " + c.k.Say("asking their hosts …")
		}
		if why, told := c.public.told[m.address]; told && why == "" {
			known++
		}
	}
	if known == 0 || known < len(all) {
		return ""
	}
	return " · " + c.k.Say("public")
}

// hidden are the materials that the service will not be able to read, each in a
// sentence.
func (c *Screen) hidden() []string {
	var out []string
	for _, m := range c.materials() {
		if why := c.public.told[m.address]; why != "" {
			out = append(out, m.name+" "+why)
		}
	}
	return out
}

func (c *Screen) hiddenLines(w int) []string {
	var out []string
	for _, text := range c.hidden() {
		for i, l := range widget.Wrap(text, max(w-2, 10)) {
			mark := "✗ "
			if i > 0 {
				mark = theme.Blank(2)
			}
			out = append(out, c.k.Theme.Warn.Paint(mark+l))
		}
	}
	return out
}
