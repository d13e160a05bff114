package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"
)

const (
	// uploadLimit is how long the person's command may take.
	uploadLimit = 10 * time.Minute
	// uploadOutput is how much of its output is kept: the end.
	uploadOutput = 64 << 10
)

// FilePlace stands for the file in the arguments of the upload command.
const FilePlace = "{file}"

// UploadArguments are the command's words with the file in its place. No shell
// takes them apart.
func UploadArguments(command []string, file string) []string {
	out := make([]string, len(command))
	for i, word := range command {
		out[i] = strings.ReplaceAll(word, FilePlace, file)
	}
	return out
}

// Upload hands a file of this machine to the person's command, which sees no
// variable of ours, and gives the address that its last line of output is: https,
// and public. Errors are *Error and say what to do.
func (f *Fetcher) Upload(ctx context.Context, command []string, file string, env []string) (string, error) {
	if err := uploadable(file); err != nil {
		return "", err
	}
	if len(command) == 0 {
		return "", &Error{Text: "there is no upload command in the settings", Final: true}
	}
	ctx, cancel := context.WithTimeout(ctx, uploadLimit)
	defer cancel()
	words := UploadArguments(command, file)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = OthersEnviron(env)
	cmd.Dir = filepath.Dir(file)
	cmd.WaitDelay = 2 * time.Second // of what it has started
	var out, complaint tail
	cmd.Stdout, cmd.Stderr = &out, &complaint
	ownGroup(cmd)
	if err := cmd.Run(); err != nil {
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return "", &Error{Text: "the upload command took more than 10 minutes, so it was stopped", Cause: err}
		case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
			return "", &Error{Text: fmt.Sprintf("the upload command %s is not there: check the settings", words[0]), Cause: err, Final: true}
		}
		return "", &Error{Text: strings.TrimSuffix("the upload command failed: "+api.Clean(lastLine(complaint.String()), 200).String(), ": "), Cause: err}
	}
	address := lastLine(out.String())
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, " \t") || len(address) > maxAddress {
		return "", &Error{Text: "the last line that the upload command wrote is no https:// address", Final: true}
	}
	if _, err := f.Public(ctx, address); err != nil {
		return "", &Error{Text: "the uploaded file " + err.Error(), Cause: err}
	}
	return address, nil
}

// uploadable makes sure that there is a whole file.
func uploadable(file string) error {
	info, err := os.Stat(file)
	switch {
	case !filepath.IsAbs(file):
		return &Error{Text: file + " is no absolute path", Final: true}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Text: file + " is not there", Final: true}
	case err != nil:
		return &Error{Text: file + " cannot be read", Cause: err}
	case !info.Mode().IsRegular():
		return &Error{Text: file + " is no file", Final: true}
	case info.Size() == 0:
		return &Error{Text: file + " is empty", Final: true}
	}
	return nil
}

// lastLine is the last line that is not blank.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > uploadOutput {
		p = p[len(p)-uploadOutput:]
	}
	if over := t.Len() + len(p) - uploadOutput; over > 0 {
		t.Next(over)
	}
	_, err := t.Buffer.Write(p)
	return n, err
}
