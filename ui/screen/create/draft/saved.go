package draft

import (
	"strings"

	"darkroom/api"
)

// empty reports whether nothing was written that could be lost.
func (d *Draft) Empty() bool {
	for kind := range d.Materials.Kinds {
		if len(d.Materials.Drafted(kind)) > 0 {
			return false
		}
	}
	return strings.TrimSpace(d.Prompt.Value()) == ""
}

// unsent reports whether the draft holds something that was not sent as it is.
func (d *Draft) Unsent() bool { return !d.Empty() && !Same(d.Request, d.Sent) }

// saved is the draft as it is kept: with what is typed and not taken over yet,
// and with parameters that the listing does not name.
func (d *Draft) Saved() api.Request {
	r := d.values()
	one := func(kind int) string {
		if all := d.Materials.Drafted(kind); len(all) > 0 {
			return all[0]
		}
		return ""
	}
	r.ImageURL = one(singleImage)
	if d.Kind == api.KindVideo {
		if r.FunctionMode == api.ModeFirstLastFrame {
			r.ImageURL = one(firstFrame)
		}
		r.EndImageURL, r.VideoURL = one(lastFrame), one(singleVideo)
		r.ImageFiles, r.VideoFiles, r.AudioFiles = d.Materials.Drafted(images), d.Materials.Drafted(videos), d.Materials.Drafted(audios)
	}
	r.Extra = append(r.Extra, d.kept...)
	return r
}
