//go:build linux

package blackbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// refusing makes the store of a home refuse what a condition of a trigger names,
// as a disk that is full or broken from then on does.
func (h *home) refusing(of, when string) {
	h.t.Helper()
	trigger := `CREATE TRIGGER refuses BEFORE UPDATE OF ` + of + ` ON jobs WHEN ` + when + ` BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END`
	must(h.t, expect.Err(h.store().Exec(trigger)))
}

// TestAStoreThatRefusesBetweenRecordAndSend: what cannot be marked is not sent,
// and a command ends although the store does not take that either.
func TestAStoreThatRefusesBetweenRecordAndSend(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("models").wantCode(t, 0)
	h.refusing("phase", "NEW.phase IN ('sending','not_sent')")
	e := h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 1).says(t, "the store could not be written")
	expect.That(t, len(service.Ledger()) == 0 && e.took <= 30*time.Second, len(service.Ledger()), "sent, after", e.took)
}

// TestABusyStoreDelaysASend: a request that was recorded is marked later where
// another program writes longer than a write is waited for.
func TestABusyStoreDelaysASend(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.5")
	h.run("models").wantCode(t, 0)
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "status", Status: 429, Header: http.Header{"Retry-After": {"4"}}})
	w := h.startWindow("image", "waits", "--model", "lumen/still-1", "--yes")
	db := h.store()
	awaitService(t, w, func() bool {
		var waits bool
		must(t, db.QueryRow(`SELECT EXISTS (SELECT 1 FROM jobs WHERE phase='intent' AND error<>'')`).Scan(&waits))
		return waits
	})
	simtest.Must(db.Exec(`BEGIN IMMEDIATE`))(t)
	time.Sleep(9 * time.Second) // the rest of 2 s, the wait of a write of 5 s, and more
	simtest.Must(db.Exec(`ROLLBACK`))(t)
	<-w.done
	expect.Equal(t, w.cmd.ProcessState.ExitCode(), 0, "exit code", &w.errors)
	expect.Len(t, service.Ledger(), 1, "sent")
}

// TestACommandSaysThatTheStoreRefuses what a job it waits for has become: nothing
// can end that job, and a script would wait in silence.
func TestACommandSaysThatTheStoreRefuses(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.run("models").wantCode(t, 0)
	h.refusing("owner", "OLD.phase='queued' AND NEW.owner<>''")
	e := h.run("image", "x", "--model", "lumen/still-1", "--yes", "--timeout", "3s").wantCode(t, 7)
	expect.Equal(t, strings.Count(e.stderr, "the store does not answer"), 1, "how often it is said", e.stderr)
	h.run("wait", h.jobs()[0].ID, "--timeout", "3s", "--json").wantCode(t, 7).says(t, "the store does not answer")
}

// TestOnlyFilesOfOursAreRemoved: the store names lock files by their paths, which
// are others' when it was moved or copied, and a folder may be a link to another.
func TestOnlyFilesOfOursAreRemoved(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 0)
	result := h.jobs()[0].Files[0].Path
	photos := filepath.Join(h.dir, "photos")
	must(t, os.Mkdir(photos, 0o700))
	var own []string
	for _, name := range []string{"precious.txt", "window-other.lock.txt", "photo.jpg"} {
		path := filepath.Join(photos, name)
		must(t, os.WriteFile(path, []byte("mine"), 0o600))
		must(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		simtest.Must(h.store().Exec(`INSERT INTO owners (id, lock, at) VALUES (?, ?, 1)`, name, path))(t)
		own = append(own, path)
	}
	lock := filepath.Join(photos, "window-abc.lock") // the name is right, the folder is not
	must(t, os.WriteFile(lock, nil, 0o600))
	simtest.Must(h.store().Exec(`INSERT INTO owners (id, lock, at) VALUES ('abc', ?, 1)`, lock))(t)
	must(t, os.Symlink(photos, filepath.Join(h.dir, "data", "darkroom", "inbox")))
	h.run("image", "y", "--model", "lumen/still-1", "--yes").wantCode(t, 0)
	for _, path := range append(own, lock) {
		expect.Is(t, expect.Err(os.Stat(path)), nil)
	}
	var left int
	must(t, h.store().QueryRow(`SELECT count(*) FROM owners`).Scan(&left))
	expect.Equal(t, left, 0, "windows that are gone are left")
	must(t, os.Remove(result))
	must(t, os.Symlink(own[0], result))
	h.run("export", "--html", filepath.Join(h.dir, "sheet")).wantCode(t, 0)
	_, err := os.Stat(filepath.Join(h.dir, "sheet", "files", filepath.Base(result)))
	expect.Fails(t, err, "", "what a link leads to is in the sheet")
}

// TestPromptsThatAreNoText are not paid for, and the mark that editors of Windows
// write before a text is no part of it.
func TestPromptsThatAreNoText(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	for _, text := range []string{"a\x00cat", "a \x1b[31mred\x1b[0m cat", "a\bcat", "caf\xe9", "\xff\xfea\x00 \x00", "a \u009b31m cat"} {
		h.runWith(text, "image", "-", "--model", "lumen/still-1", "--yes").wantCode(t, 2)
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "p.txt"), []byte("\xef\xbb\xbfa cat\r\n\ton a mat"), 0o600))
	h.run("image", "@p.txt", "--model", "lumen/still-1", "--yes", "--no-wait").wantCode(t, 0)
	l := service.Ledger()
	expect.That(t, len(l) == 1 && strings.Contains(string(l[0].Body), `"prompt":"a cat\n\ton a mat"`), l)
}

// TestNamesSteerNoTerminal: names of files come from archives and other people.
func TestNamesSteerNoTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, "http://127.0.0.1:1")
	for _, args := range [][]string{
		{"image", "@no\x1b]0;x\x07file", "--yes"}, {"image", "x", "--\x1b[31m"}, {"edit", "a\u202eb"}, {"wait", "\x9b31m"},
	} {
		e := h.run(args...)
		expect.That(t, e.code != 0 && !strings.ContainsAny(e.stdout+e.stderr, "\x1b\x07\u202e\u009b"), args, e.code, e.stderr)
	}
}

// TestCompletionOffersPlainNames: a shell may put what several names of a hostile
// service have in common into the command line.
func TestCompletionOffersPlainNames(t *testing.T) {
	_, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "models", Do: "body", Body: `{"models":[
	  {"id":"x$(touch /tmp/a)1","type":"image"},{"id":"x$(touch /tmp/a)2","type":"image"},{"id":"-rf","type":"image"},{"id":"e\u001b]0;x","type":"image"},
	  {"id":"a;reboot","type":"image"},{"id":"plain/one-1.5:2 b","type":"image"}]}`}}})
	h.run("models").wantCode(t, 0)
	e := h.run("__complete", "image", "--model", "")
	expect.That(t, strings.HasPrefix(e.stdout, "plain/one-1.5:2 b\n:"), e.stdout)
}

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
	expect.That(t, grown <= mostGrowth, "the heap grew by", grown>>20, "MiB, want at most 32")
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
	base := simtest.Must(url.Parse(d.service.URL))(t)
	key := simtest.Must(api.ParseKey(testKey))(t)
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
		expect.Must(d.t, o.Phase != "" && (o.HTTPStatus != http.StatusOK || o.Phase != api.PhaseNotSent), "an answer ended as", o)
		d.answer(o.Answer)
		if o.Err != nil {
			d.failure(o.Err)
		}
	case "job":
		a, err := d.client.Job(ctx, "job_1", api.KindImage)
		d.answer(a)
		d.failure(err)
	}
	expect.Must(d.t, ctx.Err() == nil, "hung for", screenLimit, "over an answer to", endpoint)
}

// shown looks through one-line texts that a screen may show as they are.
func (d *hostileClient) shown(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		d.texts++
		found := steering(text)
		expect.Must(d.t, found == "", found, "would be shown", text)
	}
}

func (d *hostileClient) answer(a api.JobAnswer) {
	d.t.Helper()
	d.shown(a.Status.String(), strings.ReplaceAll(a.Reason.String(), "\n", ""), a.NotReadable.String())
	d.shown(a.IDPath)
	for _, r := range a.Results {
		d.shown(r.MediaType)
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
	expect.Must(d.t, errors.As(err, &e), "an error of another kind", err, err)
	d.shown(strings.ReplaceAll(e.Error(), "\n", ""), e.Code.String(), e.RequestID.String())
	for _, f := range e.Fields {
		d.shown(f.Field, strings.ReplaceAll(f.Text.String(), "\n", ""))
	}
}

// TestAStoreThatIsReplacedMeanwhile: a command that waits for an accepted job goes on with
// the file that it has open, or says the job's id; never that nothing was sent.
func TestAStoreThatIsReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"replaced", "removed"} {
		t.Run(how, func(t *testing.T) {
			service, h := begin(t, simtest.Options{TimeScale: 2})
			h.run("jobs").wantCode(t, 0)
			data, backup := filepath.Dir(h.storePath()), filepath.Join(h.dir, "backup")
			must(t, os.CopyFS(backup, os.DirFS(data)))
			w := h.startWindow("image", "a boat", "--yes")
			await(t, "an accepted job", func() bool { return len(h.jobs()) > 0 && h.jobs()[0].RemoteID != nil })
			must(t, os.Rename(data, data+".gone")) // at once: the program makes files in it
			must(t, os.RemoveAll(data+".gone"))
			if how == "replaced" {
				await(t, "the backup in its place", func() bool { return errors.Join(os.RemoveAll(data), os.Rename(backup, data)) == nil })
			}
			<-w.done
			code, told := w.cmd.ProcessState.ExitCode(), strings.Contains(w.String(), "under the id "+service.Ledger()[0].ID)
			expect.That(t, code == 0 && !told || code == 4 && told, how, "exit code", code, w)
		})
	}
}
