package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"darkroom/api"
)

// validator is what must still hold for a partial download to be continued.
type validator struct {
	address string
	etag    string // strong
	size    int64  // bytes on disk
	total   int64  // of the whole file, or -1
}

func (f *Fetcher) download(ctx context.Context, p *part, w Want) error {
	select {
	case f.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	release := sync.OnceFunc(func() { <-f.slots })
	defer release()
	crawls := func() {
		if w.Crawls != nil && w.Crawls() {
			release()
		}
	}
	target, err := f.resolve(w.Result.URL)
	if err != nil {
		return err
	}
	v, _ := f.partial.LoadAndDelete(p.name)
	if from, ok := v.(*validator); ok && from.address == target.String() && p.resume(from.size) == nil {
		if err = f.receive(ctx, p, target, from, w.Job.Kind, crawls); !errors.Is(err, errStartOver) {
			return err
		}
	}
	if err := p.resume(0); err != nil {
		return f.diskError(whyNotTaken, err)
	}
	return f.receive(ctx, p, target, nil, w.Job.Kind, crawls)
}

var errStartOver = api.Sentence("the download must start over").Fault(nil)

// receive makes one GET and streams its body; from continues an earlier one.
func (f *Fetcher) receive(ctx context.Context, p *part, target *url.URL, from *validator, kind api.Kind, crawls func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(f.idle, func() { cancel(ErrSlow) })
	defer idle.Stop()
	req, err := request(ctx, target)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // so that the length is the file's
	if from != nil {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from.size))
		req.Header.Set("If-Range", from.etag)
	}
	res, err := f.client.Do(req)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer res.Body.Close()
	if err := checkStatus(res, p, from); err != nil {
		return err
	}
	if e := strings.ToLower(res.Header.Get("Content-Encoding")); e != "" && e != "identity" {
		return failed(nil, "the service sent the file packed (%v), though it was asked not to", api.Clean(e, 20))
	}
	total := res.ContentLength
	if from != nil {
		total = from.total
	}
	began, size := time.Now(), p.size
	err = f.copyBody(ctx, p, res.Body, res.ContentLength, kind, func() {
		idle.Reset(f.idle)
		if took := time.Since(began); took >= f.idle/3 {
			if float64(p.size-size) < crawl*float64(3*took)/float64(f.idle) {
				crawls()
			}
			began, size = time.Now(), p.size
		}
	})
	// Only a strong validator proves that the rest belongs to the same bytes.
	etag := res.Header.Get("ETag")
	if strings.HasPrefix(etag, `"`) && err != nil && !errors.As(err, new(*Error)) && p.size > 0 && p.size < total {
		f.partial.Store(p.name, &validator{address: target.String(), etag: etag, size: p.size, total: total})
	}
	return err
}

// checkStatus sorts the answer's status. A whole answer begins the part again.
func checkStatus(res *http.Response, p *part, from *validator) error {
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		return p.resume(0)
	case status == http.StatusPartialContent && from == nil:
		return failed(nil, "the service sent a part of the file only")
	case status == http.StatusPartialContent && continues(res.Header.Get("Content-Range"), from):
		return nil
	case status == http.StatusPartialContent, status == http.StatusRequestedRangeNotSatisfiable && from != nil:
		return errStartOver
	case status == http.StatusForbidden, status == http.StatusNotFound, status == http.StatusGone:
		return ErrExpired
	}
	return failed(nil, "the file cannot be fetched: %v answered %v", api.Clean(res.Request.URL.Host, 100), res.StatusCode)
}

func continues(header string, from *validator) bool {
	var first, last, total int64
	_, err := fmt.Sscanf(header, "bytes %d-%d/%d", &first, &last, &total)
	return err == nil && first == from.size && last == total-1 && total > from.size && (from.total < 0 || from.total == total)
}

// ErrSlow is the cause of an Error when a download came below the least rate.
var ErrSlow = api.Sentence("hardly anything came for too long").Fault(nil)

// Why a body was not taken.
var (
	errShort = api.Sentence("the connection ended before the whole file had come").Fault(nil)
	errPage  = failed(nil, "the service sent a page of text in place of the file")
)

// MinComing is how many bytes have to come within the idle limit.
const MinComing = 16 << 10

// crawl is how much comes in a third of the idle limit, in bytes, of a download
// that need not make others wait: 64 KiB a second.
const crawl = 640 << 10

// copyBody streams a body of length bytes (-1 when not told) into the part, up
// to the limit of its kind in all. alive, when set, is called at the beginning and each
// time that MinComing more bytes have come: a trickle is not a download.
func (f *Fetcher) copyBody(ctx context.Context, p *part, body io.Reader, length int64, kind api.Kind, alive func()) error {
	limit := f.limit(kind)
	tooLarge := final("the result is larger than %v MiB, which is the most darkroom saves of its kind", limit>>20)
	if length > limit-p.size {
		return tooLarge
	}
	start, seen := p.size, p.size-MinComing
	buf := make([]byte, 64<<10)
	for {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if alive != nil && p.size-seen >= MinComing {
			seen = p.size
			alive()
		}
		n, err := body.Read(buf)
		if int64(n) > limit-p.size {
			return tooLarge
		}
		if _, werr := p.Write(buf[:n]); werr != nil {
			return f.diskError(whyNotTaken, werr)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
	switch {
	case length >= 0 && p.size-start != length:
		return errShort
	case p.size == 0:
		return failed(nil, "the service sent an empty file")
	}
	return nil
}

func (f *Fetcher) take(ctx context.Context, p *part, body io.Reader, length int64, kind api.Kind) error {
	if err := p.resume(0); err != nil {
		return err
	}
	return f.copyBody(ctx, p, body, length, kind, nil)
}

// judge says whether what came can be the result. It finds only what is
// certain: a result that was paid for is not refused because of a doubt. A page
// of text is a result only at an address that says so.
func (p *part) judge(address string) error {
	address, _, _ = strings.Cut(address, "?")
	texts := []string{".html", ".htm", ".xhtml", ".xml", ".json", ".txt"}
	page := pageOfText(p.head, p.size) && !slices.Contains(texts, strings.ToLower(path.Ext(address)))
	cut := cutShort(p.file, p.size, sniff(p.head).ext)
	switch inside := address == ""; {
	case page && inside:
		return final("the response holds a page of text in place of the file")
	case page:
		return errPage
	case cut && inside:
		return final("the file in the response ends in its middle")
	case cut:
		return failed(errShort, "the file that the service sends ends in its middle")
	}
	return nil
}

// maxMessage is how long plain text is at most that is taken for a message, and
// message is its first line: words, with the number of a status before them.
const maxMessage = 4 << 10

var message = api.Pattern(`^\s*(?:\d{3}[ :.-]*)?\pL{2,20}(?:[ ,.:;!'-]+[\pL\pN]{1,20})*[.!]*\s*(?:\n|$)`)

// pageOfText reports whether a body of size bytes is what gateways, log-in
// portals and storage send with a 200 when something is wrong: HTML, XML, JSON,
// or a few words such as "Not Found".
func pageOfText(head []byte, size int64) bool {
	seen := http.DetectContentType(head)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case strings.HasPrefix(seen, "text/html"):
		return true
	case !strings.HasPrefix(seen, "text/"), bytes.Contains(bytes.ToLower(head), []byte("<svg")):
		return false
	}
	return strings.HasPrefix(seen, "text/xml") || size <= maxMessage && message().Match(text) || len(text) > 0 && text[0] == '{'
}

const (
	maxHops      = 5
	maxAddress   = 8192 // bytes
	maxShown     = 300  // bytes of an address in a sentence
	dialLimit    = 10 * time.Second
	maxAnswerTop = 64 << 10         // bytes of headers
	publicLimit  = 10 * time.Second // for a host to say whether an address is public
	linkHead     = 64               // bytes of a material that tell what it is
)

// Why an address is not asked. None of them names it: it may hold a secret.
var (
	errAddress = final("the result's URL cannot be read")
	errUser    = final("the result's URL contains a user name, so it is not fetched")
	errHops    = final("the result's URL redirects more than 5 times, so it is not fetched")
	errPrivate = final("the result's URL leads into a private network, so it is not fetched")
)

// newClient makes a client that follows no redirect to an address that allow
// refuses, and gives no address to another host. It has no key and no cookies:
// results and materials may be on any host.
func (f *Fetcher) newClient(public bool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            f.dial,
			TLSHandshakeTimeout:    dialLimit,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxAnswerTop,
			MaxIdleConnsPerHost:    maxAtOnce,
			IdleConnTimeout:        30 * time.Second,
			HTTP2:                  &http.HTTP2Config{SendPingTimeout: f.idle / 2, PingTimeout: f.idle / 3}, // or the next try has the dead one
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxHops {
				return errHops
			}
			// The address before may be signed: the next host must not see it.
			req.Header.Del("Referer")
			return f.allow(req.URL, public)
		},
	}
}

// request asks for what is at an address. Its text is read once more: what cannot be
// read is never tried.
func request(ctx context.Context, address *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, errAddress
	}
	req.Header.Set("User-Agent", "darkroom")
	return req, nil
}

// allow judges the address of a result, or of a material that has to be public, by
// its text. Names are judged again when they are dialled, by what they resolve to.
// The service itself fetches materials, so their addresses may be plain http.
func (f *Fetcher) allow(u *url.URL, public bool) error {
	host := strings.ToLower(u.Hostname())
	local := f.Base != nil && api.LoopbackHost(f.Base.Hostname())
	switch {
	case u.User != nil:
		return errUser
	case host == "":
		return errAddress
	case u.Scheme == "https", u.Scheme == "http" && (public || local && api.LoopbackHost(host)):
	case public:
		return errAddress
	default: // without what may be its signature
		plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
		return final("the result's URL is not https, so it is not fetched: %v", api.Clean(plain.String(), maxShown))
	}
	if ip, err := netip.ParseAddr(host); err == nil && !f.mayReach(host, ip) {
		return errPrivate
	}
	return nil
}

// mayReach reports whether a result at host may be fetched from ip. The
// service's own host is where the key goes already, so it may be anywhere; a
// service on this machine may keep its results there, and one in a private
// network in that network.
func (f *Fetcher) mayReach(host string, ip netip.Addr) bool {
	r := api.ReachOf(ip)
	if r == api.ReachPublic || f.Base == nil {
		return r == api.ReachPublic
	}
	base := strings.ToLower(f.Base.Hostname())
	switch {
	case strings.EqualFold(host, base):
		return true
	case api.LoopbackHost(base):
		return r == api.ReachLoopback
	}
	home, err := netip.ParseAddr(base)
	return err == nil && r == api.ReachPrivate && api.ReachOf(home) == api.ReachPrivate
}

// resolve makes a result's address absolute. The spec has every address
// relative to the base URL, path prefix included.
func (f *Fetcher) resolve(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, final("the result's URL is too long")
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, errAddress
	}
	if u.Host == "" && u.Scheme == "" && f.Base != nil {
		whole := f.Base.JoinPath(strings.TrimPrefix(u.EscapedPath(), strings.TrimRight(f.Base.EscapedPath(), "/")+"/"))
		whole.RawQuery = u.RawQuery
		u = whole
	}
	if u.Scheme == "" && f.Base != nil {
		u.Scheme = f.Base.Scheme // "//host/path"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, f.allow(u, false)
}

// dial connects and refuses private networks by the address that was resolved,
// in the moment of connecting: no second look-up can slip in between.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address) // of the transport, which always gives both
	d := net.Dialer{Timeout: dialLimit}
	if !isProxy(address) {
		d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(resolved)
			if err != nil || !f.mayReach(host, ap.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, address)
}

// isProxy reports whether an address is the proxy that the environment names.
// It is the person's own choice, and often on this machine. A result cannot
// name it: allow refuses loopback and private addresses before any dial.
func isProxy(address string) bool {
	p, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: "darkroom.invalid"}})
	if err != nil || p == nil {
		return false
	}
	usual := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}
	return address == net.JoinHostPort(p.Hostname(), cmp.Or(p.Port(), usual[p.Scheme]))
}

// whyPublicAddress stands behind a material's name.
const whyPublicAddress = api.Sentence("has a URL that cannot be read")

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
