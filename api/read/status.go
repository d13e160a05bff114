package read

import (
	"strings"

	"darkroom/api"
)

// statusPrefixes stand before the word in enums such as TASK_STATUS_SUCCEED.
var statusPrefixes = [...]string{"taskstatus", "jobstatus", "taskstate", "jobstate", "generationstatus", "status", "state", "task", "job"}

// foldStatus makes IN_PROGRESS and in-progress the same.
func foldStatus(s string) string {
	if len(s) > 200 {
		return ""
	}
	return fold(s)
}

// classify says what a status word means. Only an exact known word has a
// class of its own.
func (l *lexicon) classify(word string) api.StatusClass {
	f := foldStatus(word)
	if strings.TrimSpace(word) == "" {
		return api.StatusNone
	}
	if c, ok := l.statuses[f]; ok {
		return c
	}
	for _, p := range statusPrefixes {
		if rest := strings.TrimPrefix(f, p); rest != f {
			if c, ok := l.statuses[rest]; ok {
				return c
			}
		}
	}
	return api.StatusUnlisted
}

// class is the class of the answer's status. An envelope's word around a job
// says nothing about the job.
func (v *view) class() api.StatusClass {
	if v.status == nil {
		return api.StatusNone
	}
	if v.status.shape == shapeBool {
		return v.doneClass()
	}
	if v.status.shape == shapeNumber {
		return api.StatusUnlisted // 1 means done here and queued there
	}
	if v.envelopeStatus() {
		return api.StatusNone
	}
	return v.classify(v.status.text)
}

func (v *view) doneClass() api.StatusClass {
	switch {
	case v.status.text != "true":
		return api.StatusRunning
	case v.job.get("error").says():
		return api.StatusFailed
	}
	return api.StatusSucceeded
}

// envelopeStatus reports whether the status speaks of the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *view) envelopeStatus() bool {
	word := foldStatus(v.status.text)
	if !envelopeWord(word) || v.job == v.root.get("job") {
		return false
	}
	if word == "nok" {
		return true
	}
	if v.idIn(v.job) != nil && word != "ok" {
		return false
	}
	good := v.classify(v.status.text) == api.StatusSucceeded
	if good {
		return !v.hasMedia()
	}
	return v.job == v.root
}
