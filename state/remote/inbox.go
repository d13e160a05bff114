package remote

import (
	"os"
	"path/filepath"
	"time"
)

// inboxLife is how long a medium that came inside of an answer may wait to be
// saved. A job that long without its files asks the service anew.
const inboxLife = 7 * 24 * time.Hour

// inbox is the folder of media that came inside of answers, on their way to
// the downloads folder.
func (r *Remote) inbox() string { return filepath.Join(r.o.Settings.Get().DataDir, "inbox") }

// inboxFile makes a file there that only its owner can read.
func (r *Remote) inboxFile() (*os.File, error) {
	if err := os.MkdirAll(r.inbox(), 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(r.inbox(), "result-*.part")
}

// ClearInbox removes what a program left that ended before it was saved.
func (r *Remote) ClearInbox() {
	files, err := os.ReadDir(r.inbox())
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > inboxLife {
			_ = os.Remove(filepath.Join(r.inbox(), f.Name()))
		}
	}
}
