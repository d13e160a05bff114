package media

import (
	"bytes"
	"context"
	"errors"
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

// Reasons why a file was not uploaded.
var (
	whyUploadNone    = api.Declare("upload_not_set", "there is no upload command in the settings")
	whyUploadLate    = api.Declare("upload_too_late", "the upload command took more than 10 minutes, so it was stopped")
	whyUploadProgram = api.Declare("upload_no_program", "the upload command %v is not there: check the settings")
	whyUploadSaid    = api.Declare("upload_failed_saying", "the upload command failed: %v")
	whyUploadFailed  = api.Declare("upload_failed", "the upload command failed")
	whyUploadAddress = api.Declare("upload_no_address", "the last line that the upload command wrote is no https:// address")
	whyUploadPublic  = api.Declare("upload_not_public", "the uploaded file %v")
	whyFilePath      = api.Declare("upload_relative", "%v is no absolute path")
	whyFileGone      = api.Declare("upload_no_file", "%v is not there")
	whyFileRead      = api.Declare("upload_unreadable", "%v cannot be read")
	whyFileNone      = api.Declare("upload_irregular", "%v is no file")
	whyFileEmpty     = api.Declare("upload_empty", "%v is empty")
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
		return "", &Error{Reason: whyUploadNone.Reason(), Final: true}
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
			return "", &Error{Reason: whyUploadLate.Reason(), Cause: err}
		case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
			return "", &Error{Reason: whyUploadProgram.Reason(words[0]), Cause: err, Final: true}
		}
		if said := api.Clean(lastLine(complaint.String()), 200); !said.IsZero() {
			return "", &Error{Reason: whyUploadSaid.Reason(said), Cause: err}
		}
		return "", &Error{Reason: whyUploadFailed.Reason(), Cause: err}
	}
	address := lastLine(out.String())
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, " \t") || len(address) > maxAddress {
		return "", &Error{Reason: whyUploadAddress.Reason(), Final: true}
	}
	if _, err := f.Public(ctx, address); err != nil {
		return "", &Error{Reason: whyUploadPublic.Reason(err), Cause: err}
	}
	return address, nil
}

// uploadable makes sure that there is a whole file.
func uploadable(file string) error {
	info, err := os.Stat(file)
	switch {
	case !filepath.IsAbs(file):
		return &Error{Reason: whyFilePath.Reason(file), Final: true}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Reason: whyFileGone.Reason(file), Final: true}
	case err != nil:
		return &Error{Reason: whyFileRead.Reason(file), Cause: err}
	case !info.Mode().IsRegular():
		return &Error{Reason: whyFileNone.Reason(file), Final: true}
	case info.Size() == 0:
		return &Error{Reason: whyFileEmpty.Reason(file), Final: true}
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
