package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"darkroom/api"
)

// logMost is how large the log grows before it becomes the old one.
const logMost = 10 << 20

// logFile takes a line for each call of the service: time, method, path,
// status, size and duration; no header, no body, no query. Several windows
// share it, so that it is opened anew for every line.
type logFile struct {
	mu   sync.Mutex
	path string
	most int64
	key  api.Key // the one in use; lines pass through it last
}

// printf writes one line. A log that cannot be written is no reason to stop.
func (l *logFile) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := api.Clean(api.HideKeys(l.key.RedactString(fmt.Sprintf(format, args...))), 2*api.MaxErrorText).String()
	if os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	if info, err := os.Lstat(l.path); err == nil && (!info.Mode().IsRegular() || info.Size() >= l.most) {
		if os.Rename(l.path, l.path+".old") != nil {
			return
		}
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + line + "\n")
	_ = f.Close()
}
