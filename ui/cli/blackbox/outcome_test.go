//go:build linux

package blackbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// outcome is a row of the outcome table: what goes wrong with a create, and
// what the command line has to make of it.
type outcome struct {
	row   string
	fault simtest.Fault // of the create
	args  []string
	posts int
	phase string
	exit  int
	// where gives the address of a service of another kind; then there is no
	// fault, and the rows speak no HTTP/2.
	where func(t *testing.T) string
	scale string // DARKROOM_TIME_SCALE
	only  string // "1" or "2", the version of HTTP; else both
	quick int    // runs in the quick form, for rows that wait; 0: two
}

// status is a fault that refuses a create with a status.
func status(code int, body string, header ...string) simtest.Fault {
	f := simtest.Fault{Do: "status", Status: code, Body: body, Header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		f.Header.Set(header[i], header[i+1])
	}
	return f
}

func told(body string) simtest.Fault { return simtest.Fault{Do: "body", Body: body} }

// outcomeTable is the table, row by row.
func outcomeTable() []outcome {
	rows := []outcome{
		{row: "DNS failure", where: func(*testing.T) string { return "https://no-such-host.invalid" }, phase: "not_sent", exit: 1, quick: 1},
		{row: "refused port", where: refusedPort, phase: "not_sent", exit: 1},
		{row: "TLS failure", where: notTLS, phase: "not_sent", exit: 1},
		{row: "certificate error", where: distrusted, phase: "not_sent", exit: 1},
		{row: "reset at connect", where: resetsHandshake, phase: "not_sent", exit: 1},
		{row: "2xx with an id", posts: 1, phase: "done"},
		{row: "finished result inline", args: []string{"--async=false"}, posts: 1, phase: "done"},
		{row: "media as the body", fault: simtest.Fault{Do: "binary"}, posts: 1, phase: "done"},
		{row: "media as base64", fault: told(`{"created":1,"data":[{"b64_json":"` + pictureBase64() + `"}]}`), posts: 1, phase: "done"},
		{row: "plain refusal in a 2xx", fault: told(`{"error":{"code":"content_policy_violation","message":"The prompt was rejected by our safety system."}}`), posts: 1, phase: "rejected", exit: 1},
		{row: "no credits in a 2xx", fault: told(`{"success":false,"error":{"code":"insufficient_credits","message":"You have no credits left."}}`), posts: 1, phase: "rejected", exit: 1},
		{row: "no credits in a 4xx", fault: status(400, `{"error":{"message":"insufficient credits"}}`), posts: 1, phase: "rejected", exit: 1},
		{row: "2xx JSON with nothing", fault: told(`{"ok":true}`), posts: 1, phase: "unread", exit: 6},
		{row: "2xx without its id", fault: simtest.Fault{Do: "no-id"}, posts: 1, phase: "unread", exit: 6},
		{row: "2xx HTML", fault: simtest.Fault{Do: "html"}, posts: 1, phase: "unknown", exit: 6},
		{row: "2xx broken JSON", fault: simtest.Fault{Do: "garbage"}, posts: 1, phase: "unknown", exit: 6},
		{row: "empty 2xx", fault: simtest.Fault{Do: "empty"}, posts: 1, phase: "unknown", exit: 6},
		{row: "empty 204", fault: status(204, ""), posts: 1, phase: "unknown", exit: 6},
		{row: "time-out", fault: simtest.Fault{Do: "hang"}, posts: 1, phase: "unknown", exit: 6, scale: "0.01"},
		{row: "reset before the body", fault: simtest.Fault{Do: "reset"}, posts: 1, phase: "unknown", exit: 6},
		{row: "reset after the body", fault: simtest.Fault{Do: "reset-after-body"}, posts: 1, phase: "unknown", exit: 6},
		{row: "reset after the status", fault: simtest.Fault{Do: "reset-after-status"}, posts: 1, phase: "unknown", exit: 6},
		{row: "reset in the answer", fault: simtest.Fault{Do: "reset-mid-body"}, posts: 1, phase: "unknown", exit: 6},
		{row: "EOF", fault: simtest.Fault{Do: "not-http"}, posts: 1, phase: "unknown", exit: 6},
		{row: "GOAWAY", fault: simtest.Fault{Do: "h2-goaway"}, posts: 1, phase: "unknown", exit: 6, only: "2"},
		{row: "truncated body", fault: simtest.Fault{Do: "truncated"}, posts: 1, phase: "unknown", exit: 6},
		{row: "wrong length", fault: simtest.Fault{Do: "wrong-length"}, posts: 1, phase: "unknown", exit: 6, only: "1"},
		{row: "429 for ever", fault: status(429, "", "Retry-After", "1"), posts: 4, phase: "rejected", exit: 1},
		{row: "429 without Retry-After", fault: status(429, ""), posts: 4, phase: "rejected", exit: 1, scale: "0.01"},
		{row: "429 once", fault: simtest.Fault{Do: "status", Status: 429, Count: 1, Header: http.Header{"Retry-After": {"1"}}}, posts: 2, phase: "done"},
	}
	// A body that came whole, and a bare status, are read alike over both versions: the
	// long form takes both, the quick one takes them in turns.
	only := func(i int) string { return []string{"1", "2", ""}[times(i%2, 2)] }
	for i, o := range rows {
		if o.posts == 1 && slices.Contains([]string{"body", "status", "html", "garbage", "no-id"}, o.fault.Do) {
			rows[i].only = only(i)
		}
	}
	for i, code := range []int{300, 301, 302, 303, 304, 307, 308, 408, 409, 425, 500, 501, 502, 503, 504, 507, 520, 529} {
		rows = append(rows, outcome{row: fmt.Sprint(code), fault: status(code, ""), posts: 1, phase: "unknown", exit: 6, only: only(i)})
	}
	rows = append(rows, outcome{row: "503 after acceptance", fault: simtest.Fault{Do: "late-status", Status: 503}, posts: 1, phase: "unknown", exit: 6})
	for i, code := range []int{400, 402, 404, 405, 413, 414, 415, 422} {
		rows = append(rows, outcome{row: fmt.Sprint(code), fault: status(code, ""), posts: 1, phase: "rejected", exit: 1, only: only(i)})
	}
	for i, code := range []int{401, 403} {
		rows = append(rows, outcome{row: fmt.Sprint(code), fault: status(code, ""), posts: 1, phase: "rejected", exit: 5, only: only(i)})
	}
	return rows
}

// outcomeTests are the rows of the table over HTTP/1.1 and HTTP/2, those that wait
// for long or the others.
func outcomeTests(wait bool) map[string]func(*testing.T) {
	tests := map[string]func(*testing.T){}
	for _, o := range outcomeTable() {
		if wait != (o.scale != "" || o.quick > 0) {
			continue
		}
		if o.where != nil {
			tests[o.row] = o.unreached
			continue
		}
		for _, version := range []string{"1", "2"} {
			if o.only == "" || o.only == version {
				tests[o.row+" over HTTP/"+version] = func(t *testing.T) { o.answered(t, version == "2") }
			}
		}
	}
	return tests
}

// TestOutcomeTable holds every row of the outcome table by what the command line
// says and by what the service saw.
func TestOutcomeTable(t *testing.T) {
	t.Parallel()
	for name, test := range outcomeTests(false) {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t) })
	}
}

// TestOutcomesThatAreWaitedFor is the rest of TestOutcomeTable.
func TestOutcomesThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	sideBySide(t, outcomeTests(true), func(t *testing.T, test func(*testing.T)) { test(t) })
}

// runs is how often the row is run.
func (o outcome) runs() int {
	if o.quick > 0 {
		return times(o.quick, 10)
	}
	return times(1, 10)
}

func (o outcome) answered(t *testing.T, http2 bool) {
	service := startService(t, simtest.Options{TLS: http2})
	seen := 0
	for n := range o.runs() {
		h := newHome(t, service.URL()) // a rest that the service asked for would hold up the next run
		if http2 {
			h = h.trusting(service)
		}
		service.ClearFaults()
		if o.fault.Do != "" {
			o.fault.Endpoint = "create"
			service.AddFault(o.fault)
		}
		before := creates(service)
		got := o.run(t, h, n)
		posts := creates(service) - before
		seen += posts
		expect.Equal(t, posts, o.posts, "run", n, "POSTs")
		expect.That(t, o.phase != "done" || len(got.Files) == 1, "run", n, len(got.Files), "files, want 1")
	}
	proto := "HTTP/1.1"
	if http2 {
		proto = "HTTP/2.0"
	}
	for _, c := range ofEndpoint(service.Calls(), "create") {
		expect.Equal(t, c.Method+" "+c.Proto, "POST "+proto, "a create")
	}
	t.Logf("%s · %s · %d runs · %d POSTs · %s · exit %d", o.row, proto, o.runs(), seen, o.phase, o.exit)
}

func (o outcome) unreached(t *testing.T) {
	h := newHome(t, o.where(t))
	for n := range o.runs() {
		o.run(t, h, n)
	}
	t.Logf("%s · %d runs · 0 POSTs · %s · exit %d", o.row, o.runs(), o.phase, o.exit)
}

// run sends one request and checks what the command line says about it, at
// once and afterwards.
func (o outcome) run(t *testing.T, h *home, n int) job {
	t.Helper()
	scale := o.scale
	if scale == "" {
		scale = "0.1" // the limits of calls stay long enough for a busy machine
	}
	h = h.with("DARKROOM_TIME_SCALE", scale)
	h.t = t
	args := append([]string{"image", fmt.Sprintf("row %s, run %d", o.row, n), "--model", "lumen/still-1", "--yes", "--json"}, o.args...)
	got := document[job](t, h.run(args...).wantCode(t, o.exit))
	expect.Equal(t, got.Phase, o.phase, "run", n, reason(got))
	expect.Equal(t, got.Error == nil, o.exit == 0, "run", n, "no error", reason(got))
	expect.Equal(t, document[job](t, h.run("job", got.ID, "--json").wantCode(t, 0)).Phase, o.phase, "run", n, "the next run says")
	return got
}

func reason(j job) string {
	if j.Error == nil {
		return ""
	}
	return *j.Error
}

// refusedPort is an address at which nobody listens, or can while the test runs:
// our end of a connection.
func refusedPort(t *testing.T) string {
	l := listen(t)
	c := simtest.Must(net.Dial("tcp", l.Addr().String()))(t)
	t.Cleanup(func() { _, _ = c.Close(), l.Close() })
	return "http://" + c.LocalAddr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	return simtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
}

// raw is a listener that does as it likes with every connection.
func raw(t *testing.T, do func(net.Conn)) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			do(c)
		}
	}()
	return l.Addr().String()
}

// notTLS speaks something else than TLS, and must not get to hear the key.
func notTLS(t *testing.T) string {
	return "https://" + raw(t, func(c net.Conn) {
		defer c.Close()
		hello := make([]byte, 4096)
		n, _ := c.Read(hello)
		expect.Lacks(t, string(hello[:n]), "POST", "in the clear")
		expect.Lacks(t, string(hello[:n]), testKey, "in the clear")
		_, _ = c.Write([]byte("SSH-2.0-nothing\r\n"))
	})
}

func resetsHandshake(t *testing.T) string {
	return "https://" + raw(t, func(c net.Conn) {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	})
}

// distrusted has a certificate that nobody vouches for.
func distrusted(t *testing.T) string {
	service := startService(t, simtest.Options{TLS: true})
	t.Cleanup(func() {
		expect.Equal(t, len(service.Calls()), 0, "calls over a connection that cannot be trusted")
	})
	return service.URL()
}

// pictureBase64 is a small picture as a service sends it inside JSON.
func pictureBase64() string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		panic(err)
	}
	return strings.TrimSpace(base64.StdEncoding.EncodeToString(b.Bytes()))
}
