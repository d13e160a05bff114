package create

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// sheet is one draft: the form for one kind of request, and what follows from
// its values.
type sheet struct {
	k    *env.Env
	kind api.Kind
	Form *form.Form

	Prompt                        *form.Prompt
	Mode                          *form.Radio
	materials                     *form.List
	model, Tier, resolution       *form.Choice
	duration, ratio, size         *form.Choice
	quality                       *form.Choice
	first, last, OneImage, oneVid *form.Text
	Seed                          *form.Text

	models   []api.Model
	listing  api.Model   // of the chosen model, zero when not known
	adopted  string      // the model whose listing it is
	Req      api.Request // as it would be sent
	found    []api.Problem
	applies  []string
	appliesT [2]string // model and mode that applies was made for
	wanted   string    // the resolution to come back to when the tier has a choice again
	have     [3]int    // materials that tokens can name, by kind
	restored bool      // a draft was loaded, or something was typed
	Told     []toldProblem
	toldSeen bool // sending was tried while they stood
}

var materialKinds = [3]api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio}

// MaterialsField is the form's name of the three lists in one.
const MaterialsField = "materials"

func newSheet(k *env.Env, kind api.Kind) *sheet {
	s := &sheet{k: k, kind: kind}
	s.Form = form.New(s.look())
	s.fields()
	s.label()
	s.adopted = "\x00"
	if kind == api.KindVideo {
		s.layVideo()
		s.model.SetValue(api.Seedance2)
		s.Tier.SetValue(api.TierFast)
		s.resolution.SetValue("720p")
		s.duration.SetValue("5")
	} else {
		s.layImage()
	}
	s.Form.Derive(s.derive)
	s.Form.Rules(s.check)
	s.Form.Settle()
	return s
}

func (s *sheet) look() *form.Look { return &form.Look{Theme: s.k.Theme, Say: s.k.Words.Say} }

func (s *sheet) fields() {
	s.Prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	s.Prompt.Marks, s.Prompt.Offer = s.mark, s.offer
	s.model = form.NewChoice(api.FieldModel, "")
	s.Mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	s.materials = form.NewList(MaterialsField, "",
		form.ListKind{Label: string(api.MaterialImage), Max: api.MaxImageFiles},
		form.ListKind{Label: string(api.MaterialVideo), Max: api.MaxVideoFiles, Fits: endsIn(".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v")},
		form.ListKind{Label: string(api.MaterialAudio), Max: api.MaxAudioFiles, Fits: endsIn(".mp3", ".wav", ".m4a", ".aac", ".ogg", ".flac", ".opus")})
	s.materials.Renumbered = s.renumber
	s.Tier = form.NewChoice(api.FieldVideoModel, "")
	s.resolution = form.NewChoice(api.FieldResolution, "")
	s.duration = form.NewChoice(api.FieldDuration, "")
	s.ratio = form.NewChoice(api.FieldAspectRatio, "")
	s.size = form.NewChoice(api.FieldSize, "")
	s.quality = form.NewChoice(api.FieldQuality, "")
	s.first = form.NewText(api.FieldImageURL, "")
	s.last = form.NewText(api.FieldEndImageURL, "")
	s.OneImage = form.NewText(api.FieldImageURL, "")
	s.oneVid = form.NewText(api.FieldVideoURL, "")
	s.Seed = form.NewNumber(api.FieldSeed, "")
	for f, c := range map[*form.Core]string{
		&s.Mode.Core: api.FieldFunctionMode, &s.materials.Core: api.FieldImageFiles, &s.Tier.Core: api.FieldVideoModel,
		&s.last.Core: api.FieldEndImageURL, &s.oneVid.Core: api.FieldVideoURL, &s.Seed.Core: api.FieldSeed,
	} {
		f.Show = func() bool { return slices.Contains(s.applies, c) }
	}
	s.first.Show = func() bool { return slices.Contains(s.applies, api.FieldEndImageURL) }
	s.OneImage.Show = func() bool { return !slices.Contains(s.applies, api.FieldEndImageURL) }
}

// layVideo and layImage put the fields in order, the prompt first.
func (s *sheet) layVideo() {
	f := s.Form
	f.Add(false, s.Prompt)
	f.Add(true, s.Mode)
	f.Add(false, s.materials)
	f.Add(false, s.first)
	f.Add(false, s.last)
	f.Add(true, s.model)
	f.Add(false, s.Tier)
	f.Add(false, s.resolution)
	f.Add(false, s.duration, s.ratio, s.Seed)
	f.Add(true, s.OneImage)
	f.Add(false, s.oneVid)
}

func (s *sheet) layImage() {
	f := s.Form
	f.Add(false, s.Prompt)
	f.Add(true, s.model)
	f.Add(false, s.size)
	f.Add(false, s.quality)
	f.Add(false, s.ratio)
	f.Add(true, s.OneImage)
}

// label says everything in the language of the interface.
func (s *sheet) label() {
	say := s.k.Say
	s.Prompt.SetLabel(say("Prompt"))
	s.Prompt.Empty = say("What should it show? Chinese and English both work.")
	s.model.SetLabel(say("Model"))
	s.model.Empty = say("such as provider/name")
	s.Mode.SetLabel(say("Mode"))
	s.Mode.Rename(api.ModeOmini, say("references"))
	s.Mode.Rename(api.ModeFirstLastFrame, say("first and last frame"))
	s.materials.SetLabel(say("Materials"))
	s.Tier.SetLabel(say("Tier"))
	s.resolution.SetLabel(say("Resolution"))
	s.duration.SetLabel(say("Duration"))
	s.duration.Empty = say("seconds")
	s.ratio.SetLabel(say("Ratio"))
	s.ratio.Empty = say("default")
	s.size.SetLabel(say("Size"))
	s.size.Empty = say("default")
	s.quality.SetLabel(say("Quality"))
	s.quality.Empty = say("default")
	s.Seed.SetLabel(say("Seed"))
	s.Seed.Empty = say("random")
	s.first.SetLabel(say("First frame"))
	s.first.Empty = say("address of a public image")
	s.last.SetLabel(say("Last frame"))
	s.last.Empty = say("optional")
	s.OneImage.SetLabel(say("Image"))
	s.OneImage.Empty = say("optional: address of a public image to start from")
	s.oneVid.SetLabel(say("Video"))
	s.oneVid.Empty = say("optional: address of one reference video")
}

// endsIn reports whether an address ends in one of the endings.
func endsIn(ends ...string) func(string) bool {
	return func(address string) bool {
		p := address
		if u, err := url.Parse(address); err == nil {
			p = u.Path
		}
		return slices.Contains(ends, strings.ToLower(path.Ext(p)))
	}
}

// draft is every value of the form, also of fields that do not apply now.
func (s *sheet) draft() api.Request {
	r := api.Request{
		Kind: s.kind, Model: s.model.Value(), Prompt: s.Prompt.Value(), AspectRatio: s.ratio.Value(),
		ImageURL: s.OneImage.Value(),
	}
	if s.kind == api.KindImage {
		r.Size, r.Quality = s.size.Value(), s.quality.Value()
		return r
	}
	if s.Mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode, r.ImageURL = api.ModeFirstLastFrame, s.first.Value()
	}
	r.EndImageURL, r.VideoURL = s.last.Value(), s.oneVid.Value()
	r.ImageFiles, r.VideoFiles, r.AudioFiles = s.materials.Values(0), s.materials.Values(1), s.materials.Values(2)
	r.VideoModel, r.Resolution, r.Duration = s.Tier.Value(), s.resolution.Value(), s.duration.Value()
	if n, err := strconv.ParseInt(s.Seed.Value(), 10, 64); err == nil {
		r.Seed = &n
	}
	return r
}

// request is what would be sent: the draft without what does not apply.
func (s *sheet) request() api.Request {
	r := s.draft()
	if s.kind == api.KindImage {
		return r
	}
	on := func(field string) bool { return slices.Contains(s.applies, field) }
	if !on(api.FieldFunctionMode) {
		r.FunctionMode, r.ImageURL = "", s.OneImage.Value()
	}
	if !on(api.FieldEndImageURL) {
		r.EndImageURL = ""
	}
	if !on(api.FieldVideoURL) {
		r.VideoURL = ""
	}
	if !on(api.FieldImageFiles) {
		r.ImageFiles, r.VideoFiles, r.AudioFiles = nil, nil, nil
	}
	if !on(api.FieldVideoModel) {
		r.VideoModel, r.Seed = "", nil
	}
	return r
}

// Load fills the form with a request. keep leaves prompt and materials as they
// are and takes over only what the request sets.
func (s *sheet) Load(r api.Request, keep bool) {
	s.restored = true
	set := func(c *form.Choice, v string) {
		if v != "" || !keep {
			c.SetValue(v)
		}
	}
	set(s.model, r.Model)
	set(s.size, r.Size)
	set(s.quality, r.Quality)
	set(s.ratio, r.AspectRatio)
	set(s.Tier, r.VideoModel)
	s.wanted = ""
	set(s.resolution, r.Resolution)
	set(s.duration, r.Duration)
	if !keep {
		s.Prompt.SetValue(r.Prompt)
		s.loadMaterials(r)
	}
	s.Form.Fresh()
	s.Form.Focus(s.Prompt)
	s.Form.Settle()
}

func (s *sheet) loadMaterials(r api.Request) {
	s.Mode.SetValue(r.Mode())
	s.materials.SetValues(r.ImageFiles, r.VideoFiles, r.AudioFiles)
	s.last.SetValue(r.EndImageURL)
	s.oneVid.SetValue(r.VideoURL)
	if r.Mode() == api.ModeFirstLastFrame {
		s.first.SetValue(r.ImageURL)
		s.OneImage.SetValue("")
	} else {
		s.OneImage.SetValue(r.ImageURL)
	}
	seed := ""
	if r.Seed != nil {
		seed = strconv.FormatInt(*r.Seed, 10)
	}
	s.Seed.SetValue(seed)
	s.materials.Kinds[0].First = first(s.OneImage.Value() != "" && r.Mode() == api.ModeOmini)
	s.materials.Kinds[1].First = first(s.oneVid.Value() != "")
}

func first(single bool) int {
	if single {
		return 1
	}
	return 0
}
