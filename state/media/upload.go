package media

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"
)

// uploadLimit is how long the person's command may take.
const uploadLimit = 10 * time.Minute

// Reasons why a file was not uploaded.
var (
	whyUploadNone    = api.Declare("upload_not_set", "there is no upload command in the settings")
	whyUploadAddress = api.Declare("upload_no_address", "the last line that the upload command wrote is no https:// address")
	whyUploadPublic  = api.Declare("upload_not_public", "the uploaded file %v")
	whyFilePath      = api.Declare("upload_relative", "%v is no absolute path")
	whyFileGone      = api.Declare("upload_no_file", "%v is not there")
	whyFileRead      = api.Declare("upload_unreadable", "%v cannot be read")
	whyFileNone      = api.Declare("upload_irregular", "%v is no file")
	whyFileEmpty     = api.Declare("upload_empty", "%v is empty")
)

// UploadArguments are the command's words with the file in its place. No shell
// takes them apart.
func UploadArguments(command []string, file string) []string { return fill(command, "{file}", file) }

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
	out, _, err := run(ctx, UploadArguments(command, file), file, env, uploadLimit)
	if err != nil {
		return "", err
	}
	address := lastLine(out)
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
