package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// publicLimit is how long a host has to say whether an address is public.
const publicLimit = 10 * time.Second

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
		return link, &Error{Reason: whyPublicPrivate.Reason(), Final: true}
	case errors.Is(err, errAddress), errors.Is(err, errUser):
		return link, &Error{Reason: whyPublicAddress.Reason(), Final: true}
	case errors.Is(err, errHops):
		return link, &Error{Reason: whyPublicHops.Reason(), Final: true}
	case err != nil:
		return link, &Error{Reason: whyPublicReach.Reason(networkReason(err)), Cause: ctx.Err()}
	case link.Status >= 200 && link.Status <= 299:
		return link, nil
	}
	return link, &Error{Reason: whyPublicStatus.Reason(link.Status)}
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
