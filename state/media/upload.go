package media

import (
	"context"
	"errors"
	"fmt"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "golang.org/x/image/webp"

	"darkroom/api"
)

// uploadLimit is how long the person's command may take.
const uploadLimit = 10 * time.Minute

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
		return "", &Error{Reason: api.Sentence("there is no upload command in the settings").Reason(), Final: true}
	}
	out, _, err := run(ctx, UploadArguments(command, file), file, env, uploadLimit)
	if err != nil {
		return "", err
	}
	address := lastLine(out)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, " \t") || len(address) > maxAddress {
		return "", &Error{Reason: api.Sentence("the last line that the upload command wrote is no https:// address").Reason(), Final: true}
	}
	if _, err := f.Public(ctx, address); err != nil {
		return "", &Error{Reason: api.Sentence("the uploaded file %v").Reason(err), Cause: err}
	}
	return address, nil
}

// uploadable makes sure that there is a whole file.
func uploadable(file string) error {
	info, err := os.Stat(file)
	switch {
	case !filepath.IsAbs(file):
		return &Error{Reason: api.Sentence("%v is no absolute path").Reason(file), Final: true}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Reason: api.Sentence("%v is not there").Reason(file), Final: true}
	case err != nil:
		return &Error{Reason: api.Sentence("%v cannot be read").Reason(file), Cause: err}
	case !info.Mode().IsRegular():
		return &Error{Reason: api.Sentence("%v is no file").Reason(file), Final: true}
	case info.Size() == 0:
		return &Error{Reason: api.Sentence("%v is empty").Reason(file), Final: true}
	}
	return nil
}

// linkHead is how much of a material is read to learn what it is.
const linkHead = 64

// Link is what the answer to one request says of the file at an address. Zero
// fields are not known.
type Link struct {
	Status int
	Type   string // media type: by the first bytes, else as the host says
	Bytes  int64
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
}

// Page reports whether the file is a page or another text, no media.
func (l Link) Page() bool {
	return strings.HasPrefix(l.Type, "text/") || l.Type == "application/json" || l.Type == "application/xhtml+xml"
}

// whyPublicAddress stands behind a material's name.
const whyPublicAddress = api.Sentence("has an address that cannot be read")

// publicLimit is how long a host has to say whether an address is public.
const publicLimit = 10 * time.Second

// allowPublic judges the address of a material. The service fetches it itself, so plain
// http is allowed, and nothing that only this machine can reach.
func (f *Fetcher) allowPublic(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http", host == "":
		return errAddress
	case u.User != nil:
		return errUser
	}
	return f.allowHost(host)
}

// Public asks once whether everybody can read an address, as the service has to
// ("Rules for video materials"), and gives what the answer says of the file. An
// *Error says in words that follow the material's name why not.
func (f *Fetcher) Public(ctx context.Context, address string) (Link, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress {
		return Link{}, &Error{Reason: whyPublicAddress.Reason(), Final: true}
	}
	u.Fragment, u.RawFragment = "", ""
	ctx, cancel := context.WithTimeout(ctx, publicLimit)
	defer cancel()
	link, err := f.ask(ctx, u)
	switch {
	case errors.Is(err, errPrivate):
		return link, &Error{Reason: api.Sentence("lies in a private network, which the service cannot reach").Reason(), Final: true}
	case errors.Is(err, errAddress), errors.Is(err, errUser):
		return link, &Error{Reason: whyPublicAddress.Reason(), Final: true}
	case errors.Is(err, errHops):
		return link, &Error{Reason: api.Sentence("leads through more than 5 other addresses").Reason(), Final: true}
	case err != nil:
		return link, &Error{Reason: api.Sentence("cannot be reached: %v").Reason(networkReason(err)), Cause: ctx.Err()}
	case link.Status >= 200 && link.Status <= 299:
		return link, nil
	}
	return link, &Error{Reason: api.Sentence("is %v for the public").Reason(link.Status)}
}

// ask makes one request and gives what it tells of the file; of a body it takes
// only the beginning. Many hosts answer no HEAD, above all for signed addresses.
func (f *Fetcher) ask(ctx context.Context, u *url.URL) (Link, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Link{}, errAddress
	}
	req.Header.Set("User-Agent", "darkroom")
	req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", linkHead-1))
	res, err := f.probe.Do(req)
	if err != nil {
		return Link{}, err
	}
	defer func() { _ = res.Body.Close() }()
	link := Link{Status: res.StatusCode, Bytes: wholeLength(res)}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return link, nil
	}
	// A beginning that breaks off says what it says: the status is the answer.
	head, _ := io.ReadAll(io.LimitReader(res.Body, linkHead))
	link.read(head, res.Header.Get("Content-Type"))
	return link, nil
}

// wholeLength is the length of the file, 0 when the answer does not say.
func wholeLength(res *http.Response) int64 {
	if res.StatusCode == http.StatusPartialContent {
		_, total, _ := strings.Cut(res.Header.Get("Content-Range"), "/")
		n, _ := strconv.ParseInt(total, 10, 64)
		return max(n, 0)
	}
	return max(res.ContentLength, 0)
}
