package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "golang.org/x/image/webp"

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

// linkHead is how much of a material is read to learn what it is.
const linkHead = 64 << 10

// Link is what the answer to one request says of the file at an address. Zero
// fields are not known.
type Link struct {
	Status        int
	Type          string // media type: by the first bytes, else as the host says
	Bytes         int64
	Width, Height int // of a picture
}

// read takes in the beginning of the file and the type that its host gives.
func (l *Link) read(head []byte, given string) {
	l.Type, _, _ = mime.ParseMediaType(given)
	l.Type = api.Clean(l.Type, 80).String()
	if t := sniff(head); t.ext != unknownType.ext && !strings.HasPrefix(l.Type, "audio/") {
		l.Type = t.name
	} else if found, _, _ := strings.Cut(http.DetectContentType(head), ";"); found == "text/html" || strings.HasPrefix(found, "audio/") {
		l.Type = found
	}
	if strings.HasPrefix(l.Type, "image/") {
		if c, _, err := image.DecodeConfig(bytes.NewReader(head)); err == nil {
			l.Width, l.Height = c.Width, c.Height
		}
	}
}

// Page reports whether the file is a page or another text, no media.
func (l Link) Page() bool {
	return strings.HasPrefix(l.Type, "text/") || l.Type == "application/json" || l.Type == "application/xhtml+xml"
}

// Fits reports whether the file can be a material of the kind, as far as its
// type is known.
func (l Link) Fits(kind api.MaterialKind) bool {
	group, _, _ := strings.Cut(l.Type, "/")
	switch group {
	case "image":
		return kind == api.MaterialImage
	case "video":
		return kind == api.MaterialVideo || kind == api.MaterialAudio && l.Type == "video/mp4" // m4a
	case "audio":
		return kind == api.MaterialAudio
	}
	return true
}

// CheckFolder makes the folder of results when it is missing, and reports why
// no file can be written there: that is known before a result is paid for.
func CheckFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return folderError(dir, err)
	}
	file, err := os.CreateTemp(dir, ".darkroom-check-*")
	if err != nil {
		return folderError(dir, err)
	}
	_, err = file.Write([]byte{0}) // a full disk takes names, but no bytes
	if err = errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return folderError(dir, err)
	}
	return nil
}

func folderError(dir string, cause error) error {
	return &Error{Reason: whyNotSaved.Reason(dir, api.WithoutPath(cause)), Cause: cause}
}
