package client

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// classifyNow is a whole second, as dates in headers are.
var classifyNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Rows that no server on a socket can be made to show.
func TestClassify(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	told := func(body string) Trip {
		return Trip{Connected: true, Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
	}
	for _, c := range []struct {
		name  string
		trip  Trip
		phase api.Phase
	}{
		{"nothing known at all", Trip{}, api.PhaseUnknown},
		{"error, not connected", Trip{Err: lost}, api.PhaseNotSent},
		{"error, connected", Trip{Err: lost, Connected: true}, api.PhaseUnknown},
		{"status, though not connected", Trip{Status: 500}, api.PhaseUnknown},
		{"id beside finished results", told(`{"id":"j","status":"COMPLETED","result":{"images":["https://f.example/a.png"]}}`), api.PhaseFetching},
		{"id beside previews", told(`{"id":"j","status":"PROCESSING","result":{"images":["https://f.example/a.png"]}}`), api.PhaseQueued},
		{"id beside an error", told(`{"id":"j","status":"FAILED","error":"no"}`), api.PhaseQueued},
		{"id beside a refusal", told(`{"code":402,"message":"insufficient credits","data":{"task_id":"t"}}`), api.PhaseQueued},
		{"refused as by a 500", told(`{"code":500,"message":"internal error"}`), api.PhaseUnknown},
		{"refused as by a 422, told as status", told(`{"status":422,"success":false,"msg":"duration 30"}`), api.PhaseRejected},
		{"refused as by a 503, told as status", told(`{"status":503,"success":false,"msg":"invalid"}`), api.PhaseUnknown},
		{"busy, in words", told(`{"success":false,"message":"系统繁忙,请稍后再试"}`), api.PhaseUnknown},
		{"trouble behind the service", told(`{"success":false,"message":"upstream sent an invalid response"}`), api.PhaseUnknown},
		{"a rule broken, in words", told(`{"success":false,"message":"invalid duration"}`), api.PhaseRejected},
		{"refused as by a 429", told(`{"code":429,"message":"too many requests"}`), api.PhaseRejected},
		{"a refusal beside a result that is no media", told(`{"success":false,"error":{"code":"invalid_request","message":"bad"},"result":{"text":"a boat"}}`), api.PhaseUnread},
		{"the same in an envelope", told(`{"code":400,"message":"invalid size","data":{"result":{"seed":7}}}`), api.PhaseUnread},
		{"the same without a result", told(`{"success":false,"error":{"code":"invalid_request","message":"bad"},"result":null}`), api.PhaseRejected},
		{"finished, nothing there", told(`{"status":"COMPLETED","result":{}}`), api.PhaseUnread},
		{"null", told(`null`), api.PhaseUnread},
	} {
		o := Classify(c.trip, api.KindVideo, classifyNow)
		if o.Phase != c.phase {
			t.Errorf("%s: %q, want %q (%v)", c.name, o.Phase, c.phase, o.Err)
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range outcomeCases {
		status, body := 200, c.raw
		if head, rest, ok := strings.Cut(c.raw, "\r\n\r\n"); ok && len(head) > 12 && len(rest) < 4096 {
			body = rest
			status = int(head[9]-'0')*100 + int(head[10]-'0')*10 + int(head[11]-'0')
		} else if len(body) > 4096 {
			continue
		}
		f.Add(status, "application/json", "7", []byte(body), uint8(1))
	}
	f.Add(0, "", "", []byte(nil), uint8(2))
	f.Add(0, "", "", []byte(nil), uint8(3))
	f.Add(200, "image/png", "", []byte(tinyPNG), uint8(9))
	f.Fuzz(func(t *testing.T, status int, contentType, retryAfter string, body []byte, bits uint8) {
		trip := Trip{
			Connected: bits&1 != 0, Host: "api.example.com", Status: status, Body: body,
			Header: http.Header{"Content-Type": {contentType}, "Retry-After": {retryAfter}},
		}
		if bits&2 != 0 {
			trip.Err = io.ErrUnexpectedEOF
		}
		if bits&4 != 0 {
			trip.Err = ErrTooLarge
		}
		if bits&8 != 0 {
			trip.Streamed, trip.Body = true, nil
		}
		if bits&16 != 0 {
			trip.StreamErr = io.ErrShortWrite
		}
		o := Classify(trip, api.KindImage, classifyNow)
		checkClassified(t, trip, o)
	})
}

// checkClassified checks what must hold for every outcome.
func checkClassified(t *testing.T, trip Trip, o api.Outcome) {
	t.Helper()
	known := []api.Phase{api.PhaseQueued, api.PhaseFetching, api.PhaseRejected, api.PhaseNotSent, api.PhaseUnread, api.PhaseUnknown}
	if !slices.Contains(known, o.Phase) {
		t.Fatalf("phase %q", o.Phase)
	}
	if o.Phase == api.PhaseQueued && !read.PollableID(o.Answer.ID) {
		t.Fatalf("queued with the id %q", o.Answer.ID)
	}
	if o.Phase == api.PhaseNotSent && (trip.Connected || trip.Status != 0 || trip.Err == nil) {
		t.Fatalf("not_sent after %+v", trip)
	}
	good := o.Phase == api.PhaseQueued || o.Phase == api.PhaseFetching
	if good && (trip.Status < 200 || trip.Status > 299 || trip.Err != nil) {
		t.Fatalf("%q after %+v", o.Phase, trip)
	}
	if good != (o.Err == nil) {
		t.Fatalf("%q with the error %v", o.Phase, o.Err)
	}
	if o.RetryAfter != 0 && o.Phase != api.PhaseNotSent && o.Phase != api.PhaseRejected {
		t.Fatalf("%q to be sent again after %v", o.Phase, o.RetryAfter)
	}
	if o.RetryAfter != 0 && (o.RetryAfter < api.MinWait || o.RetryAfter > api.MaxWait) {
		t.Fatalf("RetryAfter %v", o.RetryAfter)
	}
	if o.Phase == api.PhaseRejected && trip.Status >= 500 {
		t.Fatalf("rejected after %d", trip.Status)
	}
	if len(o.Raw) > read.MaxKeptRaw {
		t.Fatalf("%d raw bytes", len(o.Raw))
	}
	if o.Err != nil && (o.Err.Error() == "" || strings.ContainsAny(o.Err.Error(), "\n\x1b\x00")) {
		t.Fatalf("error %q", o.Err.Error())
	}
}
