package draft

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
)

// Kinds of rows in the list of materials.
const (
	singleImage = iota // image_url
	images             // image_files
	singleVideo        // video_url
	videos             // video_files
	audios             // audio_files
	firstFrame         // image_url of first_last_frame
	lastFrame          // end_image_url
)

// materialFields are the fields of the spec for the kinds of rows, with frames in first_last_frame.
func materialFields(frames bool) map[int]*api.Field {
	first := singleImage
	if frames {
		first = firstFrame
	}
	return map[int]*api.Field{
		first: api.FieldNamed(api.FieldImageURL), lastFrame: api.FieldNamed(api.FieldEndImageURL),
		images:      api.FieldNamed(api.FieldImageFiles),
		singleVideo: api.FieldNamed(api.FieldVideoURL), videos: api.FieldNamed(api.FieldVideoFiles),
		audios: api.FieldNamed(api.FieldAudioFiles),
	}
}

func (d *Draft) newMaterials() *form.List {
	image, video, audio := string(api.MaterialImage), string(api.MaterialVideo), string(api.MaterialAudio)
	t := form.NewList(MaterialsField, "",
		form.ListKind{Label: image, Sign: "▩", Max: 1, ByHand: true},
		form.ListKind{Label: image, Sign: "▩", Max: api.MaxImageFiles},
		form.ListKind{Label: video, Sign: "▶", Max: 1, ByHand: true, Fits: endsIn(videoEnds...)},
		form.ListKind{Label: video, Sign: "▶", Max: api.MaxVideoFiles, Fits: endsIn(videoEnds...)},
		form.ListKind{Label: audio, Sign: "♪", Max: api.MaxAudioFiles, Fits: endsIn(audioEnds...)},
		form.ListKind{Label: image, Sign: "▩", Max: 1, Unused: true},
		form.ListKind{Label: image, Sign: "▩", Max: 1, Unused: true})
	t.Title, t.Picture = Title, func(string) string { return "" }
	t.Aside = func(n int) string { return d.env.Say("%d not sent", n) }
	if d.Kind == api.KindVideo {
		t.Renumbered = d.renumber
	}
	return t
}

var (
	videoEnds = []string{".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v"}
	audioEnds = []string{".mp3", ".wav", ".m4a", ".aac", ".ogg", ".flac", ".opus"}
)

func endsIn(ends ...string) func(string) bool {
	return func(address string) bool {
		p := address
		if u, err := url.Parse(address); err == nil && u.Opaque == "" { // else it may be a path such as C:\clip.mp4
			p = u.Path
		}
		return slices.Contains(ends, strings.ToLower(strings.TrimRight(path.Ext(p), `'"`))) // a dropped file may be quoted
	}
}

// Title is an address as people tell it from others: its file, then its host.
func Title(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return api.Clean(address, 200).String()
	}
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		return api.Clean(u.Host, 200).String()
	}
	return api.Clean(name, 120).String() + " · " + api.Clean(u.Host, 80).String()
}

func (d *Draft) labelMaterials() {
	say, k := d.env.Say, d.Materials.Kinds
	d.Materials.Label, d.Materials.Empty = say("Materials"), say("add a URL, or paste several")
	k[singleImage].Name, k[singleImage].Tag = say("Image"), ""
	if d.References() {
		k[singleImage].Name, k[singleImage].Tag = "", say("single image")
	}
	k[singleVideo].Tag = say("single video")
	k[images].Count, k[videos].Count, k[audios].Count = say("Images"), say("videos"), say("audio")
	k[firstFrame].Name, k[lastFrame].Name = say("First frame"), say("Last frame")
	d.Materials.Touch()
}

// References reports whether the model takes several materials and names them.
func (d *Draft) References() bool { return d.Kind == api.KindVideo && d.Model.Value() == api.Seedance2 }

// Frames reports whether the materials are the first and last frame.
func (d *Draft) Frames() bool {
	return d.References() && d.Mode.Value() == api.ModeFirstLastFrame
}

func (d *Draft) deriveKinds() {
	t, references, frames := d.Materials, d.References(), d.Frames()
	t.Note = d.env.Key("materials", "ctrl+e") + " " + d.env.Say("add")
	t.Use(func(kind int) bool {
		return (kind >= firstFrame) == frames && (references || kind == singleImage)
	})
	if single := &t.Kinds[singleImage]; single.ByHand != references || single.Name == "" != references {
		single.ByHand = references
		d.labelMaterials()
	}
}

type Material struct {
	Kind, N int // the n-th entry of its kind
	Name    string
	Address string
}

// Attached returns the materials in view, in order.
func (d *Draft) Attached() []Material {
	var out []Material
	t := d.Materials
	for kind := range t.Kinds {
		for n, address := range t.Values(kind) {
			if t.Shown(kind) {
				out = append(out, Material{kind, n, t.Name(kind, n), address})
			}
		}
	}
	return out
}

// deriveMaterials counts what tokens can name and writes the remarks next to the rows.
func (d *Draft) deriveMaterials() {
	var have [3]int
	if d.References() {
		for i, k := range materialKinds {
			have[i] = len(d.Request.Materials(k))
		}
	}
	if have != d.Have {
		d.Have = have
		d.Prompt.Touch()
	}
	prompt := d.Pattern.Prompt
	names := d.References() && !d.Frames() && len(api.Tokens(prompt)) > 0
	d.Expiring = time.Time{}
	first := map[string]string{} // the name of the first row with an address
	for _, r := range d.Attached() {
		var note remark
		note.add(true, d.links.Problem(r.Address))
		note.add(true, d.env.SayIf(first[r.Address] != "", "same as %s", first[r.Address]))
		first[r.Address] = cmp.Or(first[r.Address], r.Name)
		until := api.LinkEnd(r.Address, d.links.Ours[r.Address].Ends)
		switch left := until.Sub(d.env.At); {
		case until.IsZero():
		case left <= 0:
			note.add(true, d.env.Say("link has expired"))
		default: // and what is said of it changes when this is another span
			note.add(left < time.Hour, d.env.Say("link expires in %s", d.env.Span(left)))
			if change := d.env.At.Add(env.SpanStays(left)); d.Expiring.IsZero() || change.Before(d.Expiring) {
				d.Expiring = change
			}
		}
		unnamed := names && !strings.Contains(prompt, tokenOf(d.Materials.EntryName(r.Kind, r.N)))
		note.add(false, d.env.SayIf(unnamed, "not in the prompt"))
		for _, fact := range d.links.facts(d.env, r.Address) {
			note.add(false, fact)
		}
		d.Materials.SetEntryNote(r.Kind, r.N, note.text, note.warn)
	}
}

type remark struct {
	text string
	warn bool
}

func (r *remark) add(warn bool, text string) {
	if text == "" || r.warn && !warn {
		return // what is wrong comes first
	}
	r.text = strings.Join(env.Said(r.text, text), " · ")
	r.warn = r.warn || warn
}

// Useless is why the service can hardly use an address, if something is known.
func (d *Draft) Useless(address string) string {
	return cmp.Or(d.links.Problem(address), d.env.SayIf(d.Expired(address), "link has expired"))
}

func (d *Draft) Expired(address string) bool {
	return api.LinkOver(address, d.links.Ours[address].Ends, d.env.At)
}

// overfull are the problems of kinds of one row that have several.
func (d *Draft) overfull() []form.Problem {
	var out []form.Problem
	t := d.Materials
	for kind := range t.Kinds {
		if n := len(t.Values(kind)); t.Shown(kind) && t.Kinds[kind].Max == 1 && n > 1 {
			name := cmp.Or(t.Kinds[kind].Name, t.Kinds[kind].Tag)
			out = append(out, form.Problem{Field: MaterialsField, Early: true, Text: cmp.Or(
				d.env.SayIf(d.Kind == api.KindImage, "%s: there can be one. Remove %d.", name, n-1),
				d.env.Say("%s: there can be one. Remove %d, or change the kind of one with ←/→.", name, n-1))})
		}
	}
	return out
}

// rowOf is the row that a field such as image_files.2 is about, if it belongs to a
// material; n is 0 when it is about none of them.
func (d *Draft) rowOf(field string) (kind, n int, ok bool) {
	name, number, _ := strings.Cut(field, ".")
	for kind, f := range materialFields(d.Frames()) {
		if f.Name != name {
			continue
		}
		if f.Max == 0 {
			number = "1"
		}
		if i, err := strconv.Atoi(number); err == nil && i >= 1 && i <= len(d.Materials.Values(kind)) {
			n = i
		}
		return kind, n, true
	}
	return 0, 0, false
}

// formField gives the form's field for one of the spec, and names the material.
func (d *Draft) formField(field, text string) (string, string) {
	kind, n, ok := d.rowOf(field)
	if !ok {
		return field, text
	}
	if n > 0 {
		text = d.env.Say("%s: %s", d.Materials.Name(kind, n-1), text)
	}
	return MaterialsField, text
}

// SetFrame makes an image the first frame of a video, and names the place.
func (d *Draft) SetFrame(m msg.UsedMsg) string {
	d.Touched = true
	d.Model.SetValue(api.Seedance2)
	d.Mode.Choose(api.ModeFirstLastFrame)
	d.Form.Settle() // now the mode's rows are shown
	d.Materials.Put(firstFrame, m.Address)
	if m.Ratio != "" {
		d.Ratio.SetValue(m.Ratio)
	}
	if d.Prompt.Value() == "" {
		d.Prompt.Replace(m.Prompt)
		d.Prompt.ToEnd()
	}
	return d.env.Say("First frame")
}

// AddReference adds an address as model and mode take one of its kind; it returns the
// place in words, or why there is none.
func (d *Draft) AddReference(kind api.MaterialKind, address string) (place, why string) {
	say := d.env.Say
	var to int
	switch frames := d.Frames(); {
	case kind == api.MaterialImage && !d.References():
		to = singleImage
	case !d.References():
		return "", say("Only seedance2 takes a reference video: choose it first.")
	case frames && kind != api.MaterialImage:
		return "", say("The first and last frame are images: choose references first.")
	case frames && d.material(firstFrame) == "":
		to = firstFrame
	case frames && d.material(lastFrame) == "":
		to = lastFrame
	case frames:
		return "", say("Both frames are set: clear one first.")
	default:
		to = map[api.MaterialKind]int{api.MaterialImage: images, api.MaterialVideo: videos, api.MaterialAudio: audios}[kind]
	}
	if r, there := api.Find(d.Attached(), func(r Material) bool { return r.Address == address }); there {
		return "", say("Already added as %s.", r.Name)
	}
	have, most := len(d.Materials.Values(to)), d.Materials.Kinds[to].Max
	if have >= most && to != singleImage {
		return "", say("%d of at most %d added: remove one first.", have, most)
	}
	d.Materials.Put(to, address)
	return d.Materials.Name(to, len(d.Materials.Values(to))-1), ""
}

// Named are the members of the cast that rows and the prompt name, each once, as @hero. A
// name in the prompt is over with what follows it.
func (d *Draft) Named() []string {
	return api.Pick(d.links.Cast, func(one state.SavedText) (string, bool) {
		name := "@" + one.Name
		row := slices.ContainsFunc(d.Attached(), func(m Material) bool { return m.Address == name })
		return name, row || d.Prompt.Offer() != nil && castAt(d.Prompt.Value(), name) >= 0
	})
}

// Unplaced are the members of the cast that are sent as text, such as those in entries of a list.
func (d *Draft) Unplaced() []string {
	return api.Pick(d.links.Cast, func(one state.SavedText) (string, bool) {
		return "@" + one.Name, slices.ContainsFunc(d.Set.All, func(v expand.Variation) bool {
			return castAt(v.Request.Prompt+" ", "@"+one.Name) >= 0
		})
	})
}

// castAt is where a text names a member of the cast; -1 if it does not.
func castAt(text, name string) int {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return -1
		}
		from += at
		if next, n := utf8.DecodeRuneInString(text[from+len(name):]); n > 0 && state.NoCastName(next) && !strings.HasSuffix(text[:from], "【") {
			return from
		}
	}
}

// Attach puts a material that was found in the places of its name: rows, and the prompt.
// It returns why it cannot be there.
func (d *Draft) Attach(name string, found state.Found) (why string) {
	kind := found.Kind
	switch {
	case kind != "":
	case endsIn(videoEnds...)(found.Address):
		kind = api.MaterialVideo
	case endsIn(audioEnds...)(found.Address):
		kind = api.MaterialAudio
	default:
		kind = api.MaterialImage
	}
	d.Materials.Change(name, found.Address)
	for at := castAt(d.Prompt.Value(), name); at >= 0; at = castAt(d.Prompt.Value(), name) {
		if !slices.Contains(d.Request.Materials(kind), found.Address) {
			if _, why = d.AddReference(kind, found.Address); why != "" {
				return why
			}
			d.Form.Settle()
		}
		d.Prompt.Exchange(at, name, api.TokenText(kind, slices.Index(d.Request.Materials(kind), found.Address)+1))
	}
	d.Form.Settle()
	return ""
}

// Links is what is known about links. No host is asked before the person agreed.
type Links struct {
	Cast    []state.SavedText // materials with names
	Allowed bool
	Asking  map[string]bool
	Found   map[string]Link        // by address
	Ours    map[string]state.Found // results of ours, by address; without a job it is none
	// Uploading are paths as they stand in the rows.
	Uploading map[string]bool
}

type Link struct {
	state.Link
	Why string // why the service cannot use it; "" when it can
}

// Problem is why the service cannot use an address, if that is known.
func (l *Links) Problem(address string) string { return l.Found[address].Why }

func (l *Links) facts(k *env.Env, address string) []string {
	if busy := cmp.Or(k.SayIf(l.Uploading[address], "uploading …"), k.SayIf(l.Asking[address], "checking …")); busy != "" {
		return []string{busy}
	}
	found, known := l.Found[address]
	if !known || found.Why != "" {
		return nil
	}
	_, name, _ := strings.Cut(found.Type, "/")
	size := cmp.Or(k.SayIf(found.Bytes >= 1e6, "%.1f MB", float64(found.Bytes)/1e6),
		k.SayIf(found.Bytes > 0, "%d KB", (found.Bytes+999)/1000))
	return env.Said(name, size, k.Say("public")+" ✓")
}

// renumber lets the tokens follow materials that move. Those of a removed one get the
// number 0, a problem, instead of naming another one.
func (d *Draft) renumber(moved map[string]string) {
	var tokens []string
	for from, to := range moved {
		tokens = append(tokens, tokenOf(from), tokenOf(to))
	}
	d.Prompt.Replace(strings.NewReplacer(tokens...).Replace(d.Prompt.Value()))
}

// tokenOf is the token of a material by its name, such as 【@音频2】 ("Prompt references").
func tokenOf(name string) string { return "【@" + name + "】" }

func (d *Draft) mark(token string) form.Mark {
	ts := api.Tokens(token)
	if token[0] == '{' && expand.Literal(token, nil) != token {
		return form.MarkToken
	} else if !d.References() || len(ts) != 1 {
		return form.MarkNone
	}
	if n := ts[0].Number; n < 1 || n > len(d.Request.Materials(ts[0].Kind)) {
		return form.MarkUnknown
	}
	return form.MarkToken
}

// offer returns the tokens that @ can insert, or the offer to add a material.
func (d *Draft) offer() []form.Option {
	if !d.References() || d.Frames() {
		return nil
	}
	out := api.Map(d.links.Cast, func(one state.SavedText) form.Option {
		name := "@" + one.Name
		return form.Option{Value: name + " ", Label: name, Note: Title(one.Text)}
	})
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
