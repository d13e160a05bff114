package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/state"
)

// uploads are the files that were handed to the command.
func (d *fakeSession) uploads() []string {
	var out []string
	for _, l := range d.log {
		if file, ok := strings.CutPrefix(l, "upload "); ok {
			out = append(out, file)
		}
	}
	return out
}

func TestALocalFileWithoutACommand(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+e")
		p.paste("/home/you/boat.png")
		p.keys("tab")
		p.shows("✗ 图片1: /home/you/boat.png is a file of this machine. The service")
		p.keys("alt+u")
		p.shows("The service takes addresses only. Set upload in the settings")
		if got := p.session.uploads(); len(got) != 0 {
			t.Errorf("uploaded %q", got)
		}
	})
}

// TestALocalFileIsUploadedWhenAsked: with its path and the command in view, each
// by itself, never by a paste; the address takes the path's place, undoable.
func TestALocalFileIsUploadedWhenAsked(t *testing.T) {
	prepare := func(d *fakeSession) {
		d.settings = state.Settings{BaseURL: "https://api.example.com", Upload: []string{"rclone", "copyto", "{file}", "there:pictures"}}
		d.uploaded = "https://cdn.example.com/up.png"
	}
	flyCreate(t, "en", 120, 40, prepare, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+e")
		p.paste("'/home/you/my boat.png'\n/home/you/other.png")
		p.keys("up", "up", "alt+u")
		p.shows("Upload this file?", "/home/you/my boat.png", "rclone copyto /home/you/my boat.png", "there:pictures")
		p.paste("y\ny\n")
		p.keys("esc")
		if got := p.session.uploads(); len(got) != 0 {
			t.Fatalf("a paste uploaded %q", got)
		}
		p.keys("alt+u", "y")
		p.pass(time.Second)
		p.shows("Uploaded as up.png · cdn.example.com.", "图片1       ▩ up.png · cdn.example.com", "is a file of this machine: alt+u")
		if got := p.session.uploads(); !slices.Equal(got, []string{"/home/you/my boat.png"}) {
			t.Errorf("uploaded %q", got)
		}
		p.keys("alt+z")
		p.shows("my boat.png'")
		p.keys("alt+y")
		p.session.uploadErr = errors.New("the upload command failed: no space left")
		p.keys("down", "alt+u", "y")
		p.pass(time.Second)
		p.shows("The upload command failed: no space left.", "/home/you/other.png")
	})
}

// useAnExpiredResult uses a result with an expired link as a reference.
func useAnExpiredResult(t *testing.T, prepare func(*fakeSession), then func(*pilot)) {
	t.Helper()
	fly(t, 120, 40, func(d *fakeSession) {
		d.fill(13)
		for id, j := range d.jobs {
			j.ExpiresAt = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
			d.jobs[id] = j
		}
		d.uploaded = "https://cdn.example.com/up.png"
		prepare(d)
	}, func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "alt+2", "j", "j", "j", "j", "j")
		p.pass(time.Second)
		p.keys("u")
		p.pass(time.Second)
		then(p)
	})
}

var uploading = state.Settings{BaseURL: "https://api.example.com", Upload: []string{"rclone", "copyto", "{file}", "there:pictures"}}

// TestAResultWhoseLinkHasExpiredIsAskedForAFreshOne: the service is asked once, and
// what it gives is used.
func TestAResultWhoseLinkHasExpiredIsAskedForAFreshOne(t *testing.T) {
	t.Parallel()
	const fresh = "https://cdn.example.com/fresh.png"
	useAnExpiredResult(t, func(d *fakeSession) { d.settings, d.fresh = uploading, fresh }, func(p *pilot) {
		p.shows("Added as Image.")
		p.lacks("Upload this file?")
		asked := 0
		for _, call := range p.session.log {
			if strings.HasPrefix(call, "fresh links of ") {
				asked++
			}
		}
		if got := p.kept("image").ImageURL; got != fresh || asked != 1 {
			t.Errorf("the draft has %s after %d questions", got, asked)
		}
	})
}

func TestWhyNoFreshLinkCouldBeAskedForIsSaid(t *testing.T) {
	t.Parallel()
	useAnExpiredResult(t, func(d *fakeSession) { d.noFresh = errors.New("the service is not reachable") }, func(p *pilot) {
		p.shows("not reachable")
		if p.kept("image").ImageURL == "" {
			t.Error("nothing was added")
		}
	})
}

// TestAResultWhoseLinkHasExpiredIsOfferedForUpload: it is said, and its saved
// file is asked about when there is a command that uploads it.
func TestAResultWhoseLinkHasExpiredIsOfferedForUpload(t *testing.T) {
	t.Parallel()
	useAnExpiredResult(t, func(*fakeSession) {}, func(p *pilot) {
		p.shows("Added as Image, but its link has expired. With the setting upload its file can be")
		p.lacks("Upload this file?")
	})
	useAnExpiredResult(t, func(d *fakeSession) { d.settings = uploading }, func(p *pilot) {
		p.shows("Added as Image, but its link has expired.", "Upload this file?", "rclone copyto")
		p.keys("y")
		p.pass(time.Second)
		if got := p.kept("image").ImageURL; got != "https://cdn.example.com/up.png" || len(p.session.uploads()) != 1 {
			t.Errorf("the draft has %s after %d uploads", got, len(p.session.uploads()))
		}
	})
}
