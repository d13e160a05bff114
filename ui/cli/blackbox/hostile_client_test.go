//go:build linux

package blackbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
)

// TestHostileAnswers gives the client answers that no sane service gives, 5,000 in
// the long form, over HTTP and every endpoint that it calls. A panic ends the test,
// a hang runs into a limit.
func TestHostileAnswers(t *testing.T) {
	each := times(250, 1250)
	d := newHostileClient(t)
	before := heapNow()
	for _, endpoint := range []string{"models", "estimate", "create", "job"} {
		began, slowest := time.Now(), time.Duration(0)
		d.service.turn(endpoint, each)
		for d.service.remaining() > 0 {
			asked := time.Now()
			d.ask(endpoint)
			slowest = max(slowest, time.Since(asked))
		}
		t.Logf("%d hostile answers to %s in %v, the slowest in %v", d.service.given[endpoint], endpoint,
			time.Since(began).Round(time.Millisecond), slowest.Round(time.Millisecond))
	}
	d.client.CloseIdle()
	grown := heapNow() - before
	if grown > mostGrowth {
		t.Errorf("the heap grew by %d MiB, want at most 32", grown>>20)
	}
	t.Logf("%d answers gave %d texts to show, none of which steers; the heap grew by %d KiB", 4*each, d.texts, grown>>10)
}

// hostileClient uses a client as a session does.
type hostileClient struct {
	t       *testing.T
	service *hostileService
	client  *client.Client
	asked   int
	texts   int // that were looked through
}

func newHostileClient(t *testing.T) *hostileClient {
	t.Helper()
	d := &hostileClient{t: t, service: startHostile(t)}
	base, err := url.Parse(d.service.URL)
	if err != nil {
		t.Fatal(err)
	}
	key, err := api.ParseKey(testKey)
	if err != nil {
		t.Fatal(err)
	}
	d.client = client.New(client.Options{Base: base, Key: key})
	return d
}

func (d *hostileClient) ask(endpoint string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), screenLimit)
	defer cancel()
	d.asked++
	request := api.Request{Kind: api.KindImage, Model: "lumen/still-1", Prompt: fmt.Sprintf("a picture %d", d.asked)}
	model := api.Model{ID: request.Model, Kind: request.Kind}
	switch endpoint {
	case "models":
		models, _, err := d.client.Models(ctx)
		d.failure(err)
		for _, m := range models {
			d.model(m)
		}
	case "estimate":
		e, err := d.client.Estimate(ctx, request, model)
		d.failure(err)
		d.shown(e.Unit, e.Credits.String())
	case "create":
		o := d.client.Create(ctx, "/api/v1/images/generations", request.Body(model), client.CreateOptions{
			Kind:  api.KindImage,
			Media: func(_ string, _ int64, body io.Reader) error { _, err := io.Copy(io.Discard, body); return err },
		})
		if o.Phase == "" || o.HTTPStatus == http.StatusOK && o.Phase == api.PhaseNotSent {
			d.t.Fatalf("an answer ended as %+v", o)
		}
		d.answer(o.Answer)
		if o.Err != nil {
			d.failure(o.Err)
		}
	case "job":
		a, err := d.client.Job(ctx, "job_1", api.KindImage)
		d.answer(a)
		d.failure(err)
	}
	if ctx.Err() != nil {
		d.t.Fatalf("hung for %v over an answer to %s", screenLimit, endpoint)
	}
}

// shown looks through one-line texts that a screen may show as they are.
func (d *hostileClient) shown(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		d.texts++
		if found := steering(text); found != "" {
			d.t.Fatalf("%s would be shown: %q", found, text)
		}
	}
}

func (d *hostileClient) answer(a api.JobAnswer) {
	d.t.Helper()
	d.shown(a.Status.String(), strings.ReplaceAll(a.Reason.String(), "\n", ""), a.NotReadable.String())
	d.shown(a.IDPath)
	for _, r := range a.Results {
		d.shown(r.MediaType, r.Path)
	}
	if a.Refusal != nil {
		d.failure(a.Refusal)
	}
}

func (d *hostileClient) model(m api.Model) {
	d.t.Helper()
	d.shown(m.Label)
	for _, p := range m.Parameters {
		d.shown(p.Name, p.Type, p.Default)
		d.shown(p.Values...)
	}
}

func (d *hostileClient) failure(err error) {
	d.t.Helper()
	if err == nil {
		return
	}
	var e *api.Error
	if !errors.As(err, &e) {
		d.t.Fatalf("an error of another kind: %T %v", err, err)
	}
	d.shown(strings.ReplaceAll(e.Error(), "\n", ""), e.Code.String(), e.RequestID.String())
	for _, f := range e.Fields {
		d.shown(f.Field, strings.ReplaceAll(f.Text.String(), "\n", ""))
	}
}
