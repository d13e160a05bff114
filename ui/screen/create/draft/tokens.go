package draft

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/form"
)

// renumber lets the tokens follow materials that move. Those of a removed one get the
// number 0, a problem, instead of naming another one.
func (d *Draft) renumber(moved map[form.EntryName]form.EntryName) {
	var b strings.Builder
	prompt, done := d.Prompt.Value(), 0
	for _, t := range api.Tokens(prompt) {
		to, ok := moved[form.EntryName{Label: string(t.Kind), Number: t.Number}]
		if !ok {
			continue
		}
		b.WriteString(prompt[done:t.Start])
		b.WriteString(api.TokenText(api.MaterialKind(to.Label), to.Number))
		done = t.End
	}
	b.WriteString(prompt[done:])
	d.Prompt.Replace(b.String())
}

func (d *Draft) mark(token string) form.Mark {
	if !d.References() {
		return form.MarkNone
	}
	ts := api.Tokens(token)
	if len(ts) != 1 {
		return form.MarkNone
	}
	for i, k := range materialKinds {
		if ts[0].Kind == k && ts[0].Number >= 1 && ts[0].Number <= d.Have[i] {
			return form.MarkToken
		}
	}
	return form.MarkUnknown
}

// offer returns the tokens that @ can insert, or the offer to add a material.
func (d *Draft) offer() []form.Option {
	if !d.References() || d.Frames() {
		return nil
	}
	var out []form.Option
	for _, k := range materialKinds {
		for i, address := range d.Request.Materials(k) {
			out = append(out, form.Option{Value: api.TokenText(k, i+1), Label: string(k) + strconv.Itoa(i+1), Note: Title(address)})
		}
	}
	if len(out) == 0 {
		out = []form.Option{{Label: d.env.Say("add a material")}}
	}
	return out
}
