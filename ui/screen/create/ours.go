package create

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/result"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
)

// ownResult is a result that is used as a material.
type ownResult struct {
	job, path string // job is "" when it is not a result of ours, path when its file was not saved
}

// ownReadMsg says whether a material is a result of ours.
type ownReadMsg struct {
	address string
	own     ownResult
}

// pictureCells is how wide the thumbnail in a row of the materials is.
const pictureCells = 4

// own is what is known of a material that may be a result of ours: used since the
// program began, or among the results in view.
func (c *Screen) own(address string) (ownResult, bool) {
	if known := c.ours[address]; known.job != "" {
		return known, true
	}
	if job, path := c.recent.Saved(address); job != "" {
		return ownResult{job, path}, true
	}
	return ownResult{}, false
}

// lookUpMaterials asks the store once which materials are results of ours: such as
// those of a request from long ago.
func (c *Screen) lookUpMaterials() tea.Cmd {
	var cmds []tea.Cmd
	ctx, b := c.env.Context, c.backend
	for _, r := range c.checkable() {
		if _, asked := c.ours[r.Address]; asked {
			continue
		}
		c.ours[r.Address] = ownResult{}
		cmds = append(cmds, func() tea.Msg {
			job, path, _ := b.Materials().Result(ctx, r.Address)
			return ownReadMsg{r.Address, ownResult{job, path}}
		})
	}
	return tea.Batch(cmds...)
}

// ownRead takes the store's answer about a material.
func (c *Screen) ownRead(m ownReadMsg) {
	if m.own.job == "" {
		return
	}
	c.ours[m.address] = m.own
	for _, d := range c.drafts {
		d.Materials.Touch()
	}
}

// materialTitle is an address as people tell it from others; of a result of ours
// it is its file and job.
func (c *Screen) materialTitle(address string) string {
	text := draft.Title(address)
	if own, ok := c.own(address); ok {
		name, _, _ := strings.Cut(text, " · ")
		return name + " · " + c.env.Say("job %s", own.job[:min(len(own.job), 4)])
	}
	return text
}

// materialPicture is the thumbnail of a material that is a result of ours.
func (c *Screen) materialPicture(address string) string {
	own, ok := c.own(address)
	if !ok || own.path == "" {
		return ""
	}
	lines, state := c.thumbs.Lines(thumbOf(own.path))
	if state != result.ThumbReady {
		return ""
	}
	return theme.Fit(lines[0], pictureCells)
}

func thumbOf(path string) result.Thumb {
	return result.Thumb{Path: path, Cols: pictureCells, Rows: 1}
}

// wantMaterials asks for the thumbnails of the materials in view.
func (c *Screen) wantMaterials() tea.Cmd {
	if !c.recent.Shown() {
		return nil // the screen is not in view
	}
	var wanted []result.Thumb
	for _, r := range c.draft().Attached() {
		if own, ok := c.own(r.Address); ok && own.path != "" {
			wanted = append(wanted, thumbOf(own.path))
		}
	}
	return c.thumbs.Want(wanted)
}
