package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

	"darkroom/api"
)

const (
	uploadLimit = 10 * time.Minute // for the person's command, and for hooks
	publicLimit = 10 * time.Second // for a host to say whether an address is public
	linkHead    = 64               // bytes of a material that tell what it is
)

// whyPublicAddress stands behind a material's name.
const whyPublicAddress = api.Sentence("has a URL that cannot be read")

// UploadArguments are the command's words with the file in its place.
func UploadArguments(command []string, file string) []string { return fill(command, "{file}", file) }

// Upload hands a file of this machine to the person's command, which sees no
// variable of ours, and gives the address that its last line of output is: https,
// and public. Errors are *Error and say what to do.
func (f *Fetcher) Upload(ctx context.Context, command []string, file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case !filepath.IsAbs(file):
		return "", final("%v is not an absolute path", file)
	case errors.Is(err, fs.ErrNotExist):
		return "", final("%v is not there", file)
	case err != nil:
		return "", failed(err, "%v cannot be read", file)
	case !info.Mode().IsRegular():
		return "", final("%v is not a file", file)
	case info.Size() == 0:
		return "", final("%v is empty", file)
	case len(command) == 0:
		return "", final("there is no upload command in the settings")
	}
	out, _, err := run(ctx, UploadArguments(command, file), file, nil, keptOutput, uploadLimit)
	if err != nil {
		return "", err
	}
	address := lastLine(out)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, " \t") || len(address) > maxAddress {
		return "", final("the last line that the upload command printed is not an https:// URL")
	}
	if _, err := f.Public(ctx, address); err != nil {
		return "", failed(err, "the uploaded file %v", err)
	}
	return address, nil
}

// Link is what one request says of the file at an address; zero is not known.
type Link struct {
	Status int
	Type   string // media type: by the first bytes, else as the host says
	Bytes  int64
}

// Page reports whether the file is a page or another text, no media.
func (l Link) Page() bool {
	return strings.HasPrefix(l.Type, "text/") || l.Type == "application/json" || l.Type == "application/xhtml+xml"
}

// Public asks once whether everybody can read an address, as the service has to
// ("Rules for video materials"), and gives what the answer says of the file. An
// *Error says in words that follow the material's name why not.
func (f *Fetcher) Public(ctx context.Context, address string) (link Link, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress {
		return link, final(whyPublicAddress)
	}
	u.Fragment, u.RawFragment = "", ""
	ctx, cancel := context.WithTimeout(ctx, publicLimit)
	defer cancel()
	if err = f.allow(u, true); err == nil {
		link, err = f.ask(ctx, u)
	}
	switch {
	case errors.Is(err, errPrivate):
		return link, final("lies in a private network, which the service cannot reach")
	case errors.Is(err, errAddress), errors.Is(err, errUser):
		return link, final(whyPublicAddress)
	case errors.Is(err, errHops):
		return link, final("redirects more than 5 times")
	case err != nil:
		return link, failed(ctx.Err(), "cannot be reached: %v", cmp.Or(api.ConnectionReason(err), api.ReasonConnFailed.Reason()))
	case link.Status >= 200 && link.Status <= 299:
		return link, nil
	}
	return link, failed(nil, "is %v for the public", link.Status)
}

// ask makes one request and gives what it tells of the file; of a body it takes
// only the beginning. Many hosts answer no HEAD, above all for signed addresses.
func (f *Fetcher) ask(ctx context.Context, u *url.URL) (link Link, err error) {
	req, err := request(ctx, u)
	if err != nil {
		return link, err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", linkHead-1))
	res, err := f.probe.Do(req)
	if err != nil {
		return link, err
	}
	defer func() { _ = res.Body.Close() }()
	link = Link{Status: res.StatusCode, Bytes: max(res.ContentLength, 0)}
	if res.StatusCode == http.StatusPartialContent {
		_, total, _ := strings.Cut(res.Header.Get("Content-Range"), "/")
		link.Bytes, _ = strconv.ParseInt(total, 10, 64)
		link.Bytes = max(link.Bytes, 0)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return link, nil
	}
	// A beginning that breaks off says what it says: the status is the answer.
	head, _ := io.ReadAll(io.LimitReader(res.Body, linkHead))
	given, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	link.Type = api.Clean(given, 80).String()
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if t := sniff(head); t.ext != unknownType.ext && !strings.HasPrefix(link.Type, "audio/") {
		link.Type = t.name
	} else if found == "text/html" || strings.HasPrefix(found, "audio/") {
		link.Type = found
	}
	return link, nil
}
