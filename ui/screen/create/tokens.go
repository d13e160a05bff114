package create

import (
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/ui/form"
)

// number makes the list count on from a single address that comes first; the
// tokens follow.
func (d *draft) number(kind int, single bool) {
	k := &d.materials.Kinds[kind]
	to := first(single)
	if k.First == to || d.kind != api.KindVideo {
		return
	}
	n := len(d.materials.Values(kind))
	moved := map[int]int{}
	for i := 1; i <= n; i++ {
		moved[k.First+i] = to + i
	}
	if to == 0 {
		moved[1] = n + 1 // named the address that is gone: stays a problem
	}
	k.First = to
	d.prompt.Replace(api.RenumberTokens(d.prompt.Value(), materialKinds[kind], moved))
	d.materials.Touch()
}

// renumber lets the tokens follow materials that move. Tokens of a material
// that is removed get a number that nothing has, and so become a problem
// instead of naming another material.
func (d *draft) renumber(kind int, to []int) {
	from := d.materials.Kinds[kind].First
	moved := map[int]int{}
	for i, j := range to {
		if j < 0 {
			j = len(to) - 1
		}
		moved[from+i+1] = from + j + 1
	}
	d.prompt.Replace(api.RenumberTokens(d.prompt.Value(), materialKinds[kind], moved))
}

// deriveMaterials counts what tokens can name and notes what no token names.
func (d *draft) deriveMaterials() {
	var have [3]int
	if d.kind == api.KindVideo && d.request.Model == api.Seedance2 {
		for i, k := range materialKinds {
			have[i] = len(d.request.Materials(k))
		}
	}
	if have != d.have {
		d.have = have
		d.prompt.Touch()
	}
	if have == [3]int{} || !slices.Contains(d.applies, api.FieldImageFiles) {
		return
	}
	named := map[string]bool{}
	for _, t := range api.Tokens(d.pattern.Prompt) {
		named[string(t.Kind)+strconv.Itoa(t.Number)] = true
	}
	for k, kind := range d.materials.Kinds {
		for i := range d.materials.Values(k) {
			note := ""
			if len(named) > 0 && !named[kind.Label+strconv.Itoa(kind.First+i+1)] {
				note = d.env.Say("not used in the prompt")
			}
			d.materials.SetEntryNote(k, i, note, false)
		}
	}
}

// mark tells whether a token of the prompt names something.
func (d *draft) mark(token string) form.Mark {
	if d.kind != api.KindVideo || d.request.Model != api.Seedance2 {
		return form.MarkNone
	}
	ts := api.Tokens(token)
	if len(ts) != 1 {
		return form.MarkNone
	}
	for i, k := range materialKinds {
		if ts[0].Kind == k && ts[0].Number >= 1 && ts[0].Number <= d.have[i] {
			return form.MarkToken
		}
	}
	return form.MarkStray
}

// offer is what @ can insert.
func (d *draft) offer() []form.Option {
	if d.kind != api.KindVideo || d.request.Model != api.Seedance2 {
		return nil
	}
	var out []form.Option
	for _, k := range materialKinds {
		for i, address := range d.request.Materials(k) {
			name := string(k) + strconv.Itoa(i+1)
			out = append(out, form.Option{Value: api.TokenText(k, i+1), Label: name, Note: api.Clean(address, 200).String()})
		}
	}
	return out
}
