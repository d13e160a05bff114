package remote

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/state/settings"
)

const minCallScale = 0.1

// CallScale is the scale of the limits of single calls. It stays above a tenth: a
// busy machine needs as long as ever to answer.
func CallScale(s settings.Settings) float64 {
	if s.TimeScale <= 0 {
		return 1
	}
	return max(s.TimeScale, minCallScale)
}

// client makes the client of a service by the settings and what it showed before.
func (r *Remote) client(base *url.URL, key api.Key) Service {
	set, name := r.o.Settings.Get(), base.String()
	ways := set.WaysFor(name)
	seen, _ := r.seen(r.ctx, name) // what is not known is found out again
	o := client.Options{
		Base: base, Key: key, Scale: CallScale(set), UserAgent: "darkroom/" + r.o.Version,
		JobID: ways.JobID, EstimatePost: cmp.Or(ways.Estimate, seen.Estimate) == "POST", NewFile: r.inboxFile,
		MethodFound: func(method string) { r.record(name, func(seen *settings.Seen) { seen.Estimate = method }) },
	}
	if set.Log {
		o.Log = (&logFile{path: set.LogPath(), most: maxLog, key: key}).printf
	}
	if r.o.Connect != nil {
		return r.o.Connect(o)
	}
	return mcp.New(client.New(o))
}

const maxLog = 10 << 20 // bytes before it becomes the old one

// logFile takes a line for each call of the service: time, method, path, status,
// size and duration. Several windows share it, so it is opened for every line.
type logFile struct {
	mu   sync.Mutex
	path string
	most int64
	key  api.Key // the one in use; lines pass through it last
}

func (l *logFile) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := api.Clean(api.HideKeys(l.key.RedactString(fmt.Sprintf(format, args...))), api.MaxErrorText).String()
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700)
	info, err := os.Lstat(l.path)
	full := err == nil && (!info.Mode().IsRegular() || info.Size() >= l.most)
	if full && os.Rename(l.path, l.path+".old") != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + line + "\n")
	_ = f.Close()
}

const (
	inboxLife = 7 * 24 * time.Hour // a job that long without its files asks the service again
	inboxName = "result-*.part"    // others are not removed
)

// inbox is the folder of media that came inside of answers, until they are saved.
func (r *Remote) inbox() string { return filepath.Join(r.o.Settings.Get().DataDir, "inbox") }

// inboxFile makes a file there that only its owner can read.
func (r *Remote) inboxFile() (*os.File, error) {
	if err := os.MkdirAll(r.inbox(), 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(r.inbox(), inboxName)
}

// ClearInbox removes what a program left that ended before it was saved.
func (r *Remote) ClearInbox() {
	files, _ := os.ReadDir(r.inbox())
	for _, f := range files {
		ours, _ := filepath.Match(inboxName, f.Name())
		if info, err := f.Info(); ours && err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > inboxLife {
			_ = os.Remove(filepath.Join(r.inbox(), f.Name()))
		}
	}
}
