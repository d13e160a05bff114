package media

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// publicLimit is how long a host has to say whether an address is public.
const publicLimit = 10 * time.Second

// newProbe makes the client that asks for materials as anybody would: without
// a key, without cookies. The service fetches them itself, so plain http is
// allowed, and nothing that only this machine can reach.
func (f *Fetcher) newProbe(t http.RoundTripper) *http.Client {
	if t == nil {
		own := f.newTransport()
		own.DisableKeepAlives = true
		t = own
	}
	return guardedClient(t, f.allowPublic)
}

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
// ("Rules for video materials"). nil says yes; an *Error says in words that
// follow the material's name why not.
func (f *Fetcher) Public(ctx context.Context, address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress {
		return &Error{Reason: whyPublicAddress.Reason(), Final: true}
	}
	u.Fragment, u.RawFragment = "", ""
	ctx, cancel := context.WithTimeout(ctx, publicLimit)
	defer cancel()
	status, err := f.ask(ctx, http.MethodHead, u)
	if err == nil && status >= 400 { // many hosts answer no HEAD, above all for signed addresses
		status, err = f.ask(ctx, http.MethodGet, u)
	}
	switch {
	case errors.Is(err, errPrivate):
		return &Error{Reason: whyPublicPrivate.Reason(), Final: true}
	case errors.Is(err, errAddress), errors.Is(err, errUser):
		return &Error{Reason: whyPublicAddress.Reason(), Final: true}
	case errors.Is(err, errHops):
		return &Error{Reason: whyPublicHops.Reason(), Final: true}
	case err != nil:
		return &Error{Reason: whyPublicReach.Reason(networkReason(err)), Cause: ctx.Err()}
	case status >= 200 && status <= 299:
		return nil
	}
	return &Error{Reason: whyPublicStatus.Reason(status)}
}

// ask makes one request and gives its status; of a body it takes no byte more
// than the first.
func (f *Fetcher) ask(ctx context.Context, method string, u *url.URL) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return 0, errAddress
	}
	req.Header.Set("User-Agent", "darkroom")
	if method == http.MethodGet {
		req.Header.Set("Range", "bytes=0-0")
	}
	res, err := f.probe.Do(req)
	if err != nil {
		return 0, err
	}
	_ = res.Body.Close()
	return res.StatusCode, nil
}
