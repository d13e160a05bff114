package result

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
)

// playActions play the chosen result's video: here, and in the person's player.
func (v *Verbs) playActions() []action.Action {
	return []action.Action{
		{Name: "play_outside", Keys: []string{"V", "shift+v"}, Label: "play in your player", Handler: v.playOutside, Disabled: v.whyNoFile},
	}
}

// playOutside hands the shown file to the program that the person has set.
func (v *Verbs) playOutside() tea.Cmd {
	id, n, backend := v.chosen(), v.place.File()+1, v.backend
	return v.call("", func(ctx context.Context) error { return backend.Results().Show(ctx, id, n, state.InPlayer) })
}

func (f *fullScreen) showsVideo() bool {
	if f.loaded {
		return f.path() != "" && isVideo(&f.job, f.file)
	}
	row, ok := f.place.Row()
	return ok && f.path() != "" && isVideo(&state.Job{Kind: row.Kind}, 0)
}

func (f *fullScreen) whyNoVideo() string { return f.k.SayIf(!f.showsVideo(), "This file is no video.") }

// play plays the video in the place of its picture, or stops it.
func (f *fullScreen) play() tea.Cmd {
	w, h := f.pictureRoom()
	return f.player.Toggle(f.path(), w, h)
}

// toSheet puts a contact sheet of the video in the place of its first frame, or
// takes it away.
func (f *fullScreen) toSheet() tea.Cmd {
	f.player.Stop()
	f.sheet = !f.sheet
	f.version++
	return f.paint()
}

// shownLines are the frame that plays, or the picture.
func (f *fullScreen) shownLines() []string {
	if lines := f.player.Lines(); lines != nil {
		return lines
	}
	if f.picture.Loading() {
		return []string{f.k.Theme.Faint.Paint("···")}
	}
	return f.picture.Lines
}
