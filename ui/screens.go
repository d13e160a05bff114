package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create"
	"darkroom/ui/screen/jobs"
	"darkroom/ui/screen/login"
	"darkroom/ui/screen/prices"
	"darkroom/ui/screen/tools"
)

// newScreens makes every screen there is; a nil leaves its tab out.
func newScreens(k *env.Env, b Session, r prices.Records) [msg.PlaceCount + 2]screen {
	var s [msg.PlaceCount + 2]screen
	s[msg.PlaceCreate] = create.New(k, b)
	s[msg.PlaceJobs] = jobs.New(k, b)
	s[msg.PlacePrices] = prices.New(k, b, r)
	s[msg.PlaceTools] = tools.New(k, b)
	s[msg.PlaceKey] = login.New(k, b)
	return s
}

// firstPlace is where the program opens: Create, or the key screen when there
// is no key to create with.
func (a *App) firstPlace() msg.Place {
	st := a.env.Health
	if a.screens[msg.PlaceKey] != nil && st.KeyHint == "" && !st.KeyPending && !st.Demo {
		return msg.PlaceKey
	}
	if a.screens[msg.PlaceCreate] != nil {
		return msg.PlaceCreate
	}
	return msg.PlaceJobs
}

// openWith fills the form with a request that the program was started with. The
// key screen stays in view when there is no key.
func (a *App) openWith(r *api.Request) tea.Cmd {
	if r == nil {
		return nil
	}
	return a.tell(msg.PlaceCreate, msg.LoadedMsg{Request: *r})
}

// show brings a screen into view.
func (a *App) show(p msg.Place) tea.Cmd {
	if p < 0 || int(p) >= len(a.screens) || a.screens[p] == nil {
		return nil
	}
	a.overlays = nil
	a.try("")
	if p == msg.PlaceJobs {
		a.status.failed = 0
	}
	if p == a.at {
		return a.screens[p].Focus()
	}
	leave := a.screens[a.at].Blur()
	a.at = p
	return tea.Batch(leave, a.screens[p].Focus())
}

// showUnasked brings a screen into view without a key asking for it now.
func (a *App) showUnasked(p msg.Place) tea.Cmd {
	a.intent.moved()
	return a.show(p)
}

func (a *App) top() msg.Overlay {
	if len(a.overlays) == 0 {
		return nil
	}
	return a.overlays[len(a.overlays)-1]
}

func (a *App) closeTop() {
	if n := len(a.overlays); n > 0 {
		a.overlays[n-1] = nil
		a.overlays = a.overlays[:n-1]
	}
}
