package result

import (
	"darkroom/api"
)

// The functions below say why a verb cannot be done now; "" is that it can.
// They look at the row, so that they are true right after a move too.

func (v *Verbs) whyNone() string {
	_, ok := v.place.Row()
	return v.k.SayIf(!ok, "No job is selected.")
}

// whyNoResult is for what needs a request that was sent.
func (v *Verbs) whyNoResult() string {
	if v.marks.Len() > 0 {
		return ""
	}
	if r, ok := v.place.Row(); !ok || r.Phase == api.PhaseHeld {
		return v.whyHeld(ok)
	}
	return ""
}

func (v *Verbs) whyHeld(selected bool) string {
	if !selected {
		return v.whyNone()
	}
	return v.k.Say("This request was not sent yet: there is no result.")
}

func (v *Verbs) whyNoFile() string {
	if why := v.whyNoResult(); why != "" || v.marks.Len() > 0 {
		return why
	}
	if r, ok := v.place.Row(); !ok || r.Files == 0 {
		return v.k.Say("This job has no file yet.")
	}
	return ""
}

// whyNoAddress knows the addresses of a job that was read; of another one it
// knows the phases that have some.
func (v *Verbs) whyNoAddress() string {
	r, ok := v.place.Row()
	if ok && r.Phase == api.PhaseHeld {
		return v.whyHeld(ok)
	}
	if ok {
		if job, read := v.place.Job(); read && job.ID == r.ID {
			if address(&job, v.place.File()) != "" {
				return ""
			}
		} else if r.Files > 0 || r.Phase == api.PhaseDone || r.Phase == api.PhaseFetching {
			return ""
		}
	}
	return v.k.Say("This job has no address yet.")
}

func (v *Verbs) whyNoVideo() string {
	if r, ok := v.place.Row(); !ok || r.Phase != api.PhaseHeld && r.Kind == api.KindVideo {
		return v.k.Say("Only an image can be the first frame of a video.")
	}
	return v.whyNoAddress()
}

// whyNoDraft: a final exists of what was made at one of the fast tiers. Of a job
// that was not read only the model is known.
func (v *Verbs) whyNoDraft() string {
	r, ok := v.place.Row()
	if ok && r.Phase == api.PhaseHeld {
		return v.whyHeld(ok)
	}
	if ok && r.Kind == api.KindVideo && r.Model == api.Seedance2 {
		job, read := v.place.Job()
		if !read || job.ID != r.ID || job.Request.VideoModel == api.TierFast || job.Request.VideoModel == api.TierFastVIP {
			return ""
		}
	}
	return v.k.Say("Only for results of the tiers fast and fast_vip.")
}

func (v *Verbs) whyNotFetched() string {
	if v.marks.Len() > 0 {
		return ""
	}
	r, ok := v.place.Row()
	if ok && r.Phase == api.PhaseHeld {
		return v.whyHeld(ok)
	}
	if ok && (r.Phase == api.PhaseExpired || r.Phase == api.PhaseFailed && r.RemoteID != "" || r.Phase == api.PhaseDone && r.Files == 0) {
		return ""
	}
	return v.k.Say("There is nothing to fetch again.")
}

func (v *Verbs) whyNotHidden() string {
	if v.marks.Len() > 0 {
		return ""
	}
	r, ok := v.place.Row()
	switch {
	case !ok:
		return v.k.Say("No job is selected.")
	case r.Phase.Active():
		return v.k.Say("This job is active, so it stays in the list.")
	case OutcomeUnknown(&r):
		return v.k.Say("The outcome of this job is unknown, so it stays in the list.")
	}
	return ""
}
