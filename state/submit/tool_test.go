package submit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// open counts the calls of tools that stand in the ledger.
func (w *window) open(t *testing.T) int {
	t.Helper()
	var all store.Sum
	for _, l := range must(w.file.Ledger(t.Context(), time.Time{}))(t) {
		all.Add(l)
	}
	return all.Unpriced
}

// TestEveryCallIsRecorded: a call stands in the ledger while it is made; when it
// was answered only one that may have spent stays there.
func TestEveryCallIsRecorded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, row := range []struct {
			agreed bool
			err    error
			after  int
		}{
			{false, nil, 0},
			{true, nil, 1},
			{true, mcp.ErrNotAgreed, 0},
			{false, &api.Error{Class: api.ClassServer, Status: 500, Sent: true}, 1},
			{true, &api.Error{Class: api.ClassServer, Status: 500, Sent: true}, 1},
			{true, &api.Error{Class: api.ClassInvalid, Status: 422}, 0},
			{true, &api.Error{Class: api.ClassKey, Status: 401}, 0},
		} {
			f := &fakeService{}
			s := openWindow(t, f)
			during := 0
			f.call = func(context.Context, mcp.Call) (mcp.Answer, error) {
				during = s.open(t)
				return mcp.Answer{}, row.err
			}
			for calls := range 2 { // the second knows where the tools are
				_, err := s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "x", Agreed: row.agreed}})
				after := s.open(t)
				e, ok := errors.AsType[*api.Error](err)
				expect.That(t, !ok || e.Class != api.ClassKey, "the tools alone refuse the key", err) // the service takes the key
				expect.That(t, during == 1+calls*row.after && after == (1+calls)*row.after && (err == nil) == (row.err == nil) &&
					len(s.toldOf("")) == 1+calls, row, during, "during the call", after, "after it", err, "told", len(s.toldOf("")), "times")
			}
			expect.Equal(t, f.tools, 1, "how often the tools were looked for")
		}
	})
}

// TestWhatAToolsAnswerBegins: its parts are kept, and the job that it names is followed
// if the service knows it, or cannot say.
func TestWhatAToolsAnswerBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, row := range []struct {
			agreed, failed, full, lost bool
			unknown                    error
			remoteID                   string
		}{
			{agreed: true, lost: true},
			{agreed: true, remoteID: "r1"},
			{agreed: true, full: true, remoteID: "r1"},
			{agreed: true, unknown: &api.Error{Class: api.ClassNetwork}, remoteID: "r1"},
			{agreed: true, unknown: &api.Error{Class: api.ClassNotFound, Status: 404}},
			{agreed: true, failed: true},
			{},
		} {
			f := &fakeService{unknown: row.unknown}
			s := openWindow(t, f)
			f.call = func(context.Context, mcp.Call) (mcp.Answer, error) {
				if row.lost {
					must(s.db.Exec(`DELETE FROM toolcalls`))(t)
				}
				said, structured := `{"job_id":"r1"}`, ""
				if row.full { // nothing can be saved where the folder was
					said, structured = structured, said
					noError(t, errors.Join(os.Remove(s.fetcher.Dir), os.WriteFile(s.fetcher.Dir, nil, 0o600)))
				}
				return mcp.Answer{Failed: row.failed, Structured: []byte(structured), Parts: []mcp.Part{
					{Kind: mcp.PartText, Text: api.Clean(said, 100)},
					{MediaType: "image/png", Data: []byte{1}}, {MediaType: "video/mp4", Data: []byte{1}},
				}}, nil
			}
			a := must(s.CallTool(t.Context(), ToolCall{Call: mcp.Call{Name: "make_video", Agreed: row.agreed}}))(t)
			saved := s.saved(t, "image-*-2.bin") == 1 && s.saved(t, "video-*-3.bin") == 1
			expect.That(t, saved != row.full && len(a.Files) == 3 && (a.Files[1].Path == "") == row.full && (a.Files[2].Path == "") == row.full &&
				(a.Unsaved != nil) == (row.full || row.lost), row, "saved", saved, "files", a.Files, a.Unsaved)
			expect.That(t, (!row.lost || api.ReasonOf(a.Unsaved).Format() == whyJobNotKept) &&
				(!row.full || strings.Contains(a.Unsaved.Error(), "part 3")), row, a.Unsaved)
			var j store.Job
			if a.Job != "" {
				j = must(s.Job(t.Context(), a.Job))(t)
				expect.All(t, "queued video make_video 1", j.Phase, j.Kind, j.Title, len(s.toldOf(a.Job)))
			}
			expect.Equal(t, j.RemoteID, row.remoteID, row, "followed")
		}
	})
}

// TestToolsUnderABudget: one that may spend is refused; one that is declared
// read-only is asked about once.
func TestToolsUnderABudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		f := &fakeService{call: func(context.Context, mcp.Call) (mcp.Answer, error) { calls++; return mcp.Answer{}, nil }}
		s := openWindow(t, f, func(set *settings.Settings) { set.PerMonth = api.Credit })
		code := func(c ToolCall) string {
			var r *remote.Refusal
			_, err := s.CallTool(t.Context(), c)
			if errors.As(err, &r) {
				return r.Code
			}
			return ""
		}
		for i, row := range []struct {
			call ToolCall
			code string
		}{
			{ToolCall{Call: mcp.Call{Name: "spend", Agreed: true}}, "budget"},
			{ToolCall{Call: mcp.Call{Name: "spend", Agreed: true}, UnderBudget: true}, "budget"},
			{ToolCall{Call: mcp.Call{Name: "list"}}, CodeAskTool},
			{ToolCall{Call: mcp.Call{Name: "list"}, UnderBudget: true}, ""},
			{ToolCall{Call: mcp.Call{Name: "list"}}, ""},
			{ToolCall{Call: mcp.Call{Name: "other"}}, CodeAskTool},
		} {
			expect.Equal(t, code(row.call), row.code, i)
		}
		expect.Equal(t, calls, 2, "calls")
	})
}

// TestAnAgreedCallOutlivesItsCaller: its answer is waited for as a create's is. Nothing of a call goes on after it.
func TestAnAgreedCallOutlivesItsCaller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, row := range []struct {
			agreed, closes bool
			after, took    time.Duration // of the answer; until CallTool returned
			answered       bool
		}{
			{true, false, 2 * time.Second, 2 * time.Second, true},
			{true, false, time.Minute, 3 * time.Second, false},
			{true, true, 9 * time.Second, 9 * time.Second, true},
			{true, true, time.Minute, 10100 * time.Millisecond, false},
			{false, false, time.Minute, 0, false},
		} {
			var call context.Context
			f := &fakeService{call: func(ctx context.Context, _ mcp.Call) (mcp.Answer, error) {
				call = ctx
				select {
				case <-time.After(time.Second + row.after): // the caller gives up after the first
					return mcp.Answer{}, nil
				case <-ctx.Done():
					return mcp.Answer{}, &api.Error{Class: api.ClassNetwork, Sent: true, Cause: context.Canceled}
				}
			}}
			s := openWindow(t, f)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if row.closes {
				time.AfterFunc(time.Second, func() { s.Close(context.Background()) })
			}
			began := time.Now()
			_, err := s.CallTool(ctx, ToolCall{Call: mcp.Call{Name: "x", Agreed: row.agreed}})
			took := time.Since(began) - time.Second
			expect.That(t, took == row.took && (err == nil) == row.answered && call.Err() != nil, row, took, err, call.Err())
		}
	})
}

// TestWhatAnAgentAsksFor waits for a person or stands in its turn, as far as the
// settings grant it. An intent is the same requests for ever.
func TestWhatAnAgentAsksFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const credit = api.Credit
		f := &fakeService{price: func() (api.Estimate, error) {
			return api.Estimate{Credits: 10 * credit, Source: api.SourceService}, nil
		}}
		s := openWindow(t, f, func(set *settings.Settings) {
			set.Agents = map[string]settings.Agent{"any": {PerJob: 10 * credit, PerDay: 10 * credit}, "no day": {PerJob: 10 * credit}, "no job": {PerDay: 30 * credit}, "half": {PerJob: 10 * credit, PerDay: 25 * credit}}
		})
		ask := func(entry, intent string, prompts ...string) ([]store.Held, error) {
			var list []api.Request
			var confirm []string
			for _, prompt := range prompts {
				list, confirm = append(list, image("of "+prompt, 0).Request), append(confirm, entry+intent+prompt)
			}
			ids, err := s.Ask(t.Context(), &store.Ask{Entry: entry, Intent: intent, MaxCredits: 20 * credit, Confirm: confirm}, list)
			if err != nil {
				return nil, err
			}
			held := must(s.file.HeldOf(t.Context(), ids[0]))(t)
			held = slices.DeleteFunc(held, func(h store.Held) bool { return !slices.Contains(ids, h.ID) })
			for i, h := range held {
				expect.That(t, len(held) == len(ids) && len(ids) == len(list) && h.ConfirmID == confirm[i], entry, ids, "are held as", held)
			}
			return held, nil
		}
		for entry, code := range map[string]string{"any": "", "no day": "not_granted", "no job": "not_granted", "": "not_granted"} {
			one := must(ask(entry, "one", entry))(t)[0]
			owner := map[bool]string{true: "me"}[code == ""]
			expect.That(t, one.Code == code && one.Owner == owner && one.Granted == (code == ""), entry, "held for", one.Owner, "as", one.Code)
			expect.That(t, one.Label == "" && one.MaxCredits == 20*credit && len(s.toldOf(one.ID)) == 1, entry, one, "told", s.toldOf(one.ID))
		}
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		for i, code := range []string{"", "", "over_day"} { // what it spent counts, and what is in its turn
			one := must(ask("half", fmt.Sprint(i), fmt.Sprint("half ", i)))(t)[0]
			expect.Equal(t, one.Code, code, i, "of 25 a day by tens: held as")
			if i == 0 {
				must(s.Sent(t.Context(), must(s.SubmitHeld(t.Context(), one, one.Estimate))(t).ID))(t)
			}
		}
		two := must(ask("any", "two", "x", "y"))(t)
		expect.All(t, "#1 #2 over_day <nil>", two[0].Label, two[1].Label, two[0].Code, two[0].Pattern)
		refusedFor(t, expect.Err(ask("any", "two", "x", "z")), "intent")
		bad := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x", ImageURL: "/etc/passwd"}
		_, err := s.Ask(t.Context(), &store.Ask{Entry: "any", Intent: "bad"}, []api.Request{bad})
		expect.Equal(t, refusedFor(t, err, "problems").Problems[0].Field, api.FieldImageURL)
		f.price, bad.ImageURL, bad.Size = nil, "", "of no known price"
		ids := must(s.Ask(t.Context(), &store.Ask{Entry: "half", Intent: "unknown"}, []api.Request{bad}))(t)
		held := must(s.file.HeldOf(t.Context(), ids[0]))(t)
		expect.That(t, slices.ContainsFunc(held, func(h store.Held) bool { return h.ID == ids[0] && h.Code == "over_per_job" }), "without a price it waits as", held)
		s.Close(context.Background()) // what is known is told for ever, and nothing else is recorded
		must(ask("any", "one", "any"))(t)
		again := must(ask("any", "two", "x", "y"))(t)
		expect.That(t, again[0].ID == two[0].ID && again[1].ID == two[1].ID, "the same intent is", again)
		refusedFor(t, expect.Err(ask("any", "late", "x")), "store")
	})
}

// TestAnAgentIsBoundByTheList also if nobody has read it before; what it has against a
// request is not known while it cannot be read.
func TestAnAgentIsBoundByTheList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answers, asked := false, 0
		f := &fakeService{models: func() ([]api.Model, error) {
			if asked++; !answers {
				return nil, &api.Error{Class: api.ClassServer, Status: 500}
			}
			return []api.Model{{ID: "acme/paint", Kind: api.KindImage, Parameters: []api.Parameter{{Name: api.FieldSize, Values: []string{"1K"}}}}}, nil
		}, price: func() (api.Estimate, error) {
			return api.Estimate{Credits: 10 * api.Credit, Source: api.SourceService}, nil
		}}
		s := openWindow(t, f, func(set *settings.Settings) {
			set.Agents = map[string]settings.Agent{"any": {PerJob: 10 * api.Credit, PerDay: 90 * api.Credit}}
		})
		ask := func(entry, size string) (store.Held, error) {
			r := image("of size "+size, 0).Request
			r.Size = size
			ids, err := s.Ask(t.Context(), &store.Ask{Entry: entry, Intent: size}, []api.Request{r})
			if err != nil {
				return store.Held{}, err
			}
			list := must(s.file.HeldOf(t.Context(), ids[0]))(t)
			return list[len(list)-1], nil
		}
		for _, size := range []string{"8K", "9K"} {
			unread := must(ask("any", size))(t)
			expect.All(t, " no_models false", unread.Owner, unread.Code, unread.Granted)
		}
		expect.Equal(t, asked, 1, "questions in a minute")
		time.Sleep(time.Minute)
		answers = true
		expect.Equal(t, refusedFor(t, expect.Err(ask("other", "16K")), "problems").Problems[0].Field, api.FieldSize, "without a grant")
		listed := must(ask("any", "1K"))(t)
		expect.All(t, "me  true", listed.Owner, listed.Code, listed.Granted)
	})
}

// TestMaterialsOfAnAgent are results of ours, as their addresses, or addresses; each
// problem names its place.
func TestMaterialsOfAnAgent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome {
			out := queued("r1")
			out.Phase, out.Answer.Results = api.PhaseFetching, []api.Result{{URL: "https://cdn.test/1.png"}, {Data: []byte("png")}, {URL: "https://cdn.test/3.png"}, {URL: "http://cdn.test/4.png"}}
			return out
		}}
		s := openWindow(t, f)
		j := s.settled(t, image("x", 0))
		epoch := must(s.file.Claim(t.Context(), j.ID, "me", time.Now(), time.Minute))(t)
		noError(t, s.file.SaveFile(t.Context(), j.ID, epoch, 3, store.File{Path: "/x", URL: "https://cdn.test/3.png"})) // the only one so far
		for name, want := range map[string]string{
			"https://a.test/2.png": "https://a.test/2.png", "/etc/passwd": "agent_material", "http://a.test/2.png": "agent_material",
			"job:" + j.ID + "/1": "https://cdn.test/1.png", "job:" + j.ID + "/3": "https://cdn.test/3.png",
			"job:" + j.ID + "/4": "http://cdn.test/4.png", "job:" + j.ID + "/0": "agent_material", "job:" + j.ID + "/5": "agent_material", "job:" + j.ID: "agent_material", "job:nobody/1": "agent_material",
			"file:///etc/passwd": "agent_material", "ftp://a.test/2.png": "agent_material", "data:image/png;base64,AA": "agent_material",
			"https://169.254.169.254/latest": "url_private", "https://localhost/a": "url_private", "https://me:secret@a.test/2.png": "url_user",
			"job:" + j.ID + "/2": "agent_material", // it came in the answer itself, and has no address
		} {
			r := confirm("x").Request
			if r.ImageFiles = []string{"https://a.test/1.png", name}; strings.HasPrefix(want, "http") {
				r.VideoURL = name
			}
			asked := slices.Clone(r.ImageFiles)
			got, err := s.Examine(t.Context(), "", r)
			expect.List(t, r.ImageFiles, asked, name, "the request that was asked for")
			if err == nil {
				expect.That(t, got.ImageFiles[0] == asked[0] && got.ImageFiles[1] == want && got.VideoURL == want,
					name, "is", got.ImageFiles, "and", got.VideoURL, "want", want)
				continue
			}
			r1 := refusedFor(t, err, "problems")
			said, all := fmt.Sprint(r1.Problems), "[image_files.2: "+want+"]"
			expect.That(t, said == all && r1.Error() == whyProblems.Reason(r1.Problems[0]).String(), name, said, "want", all)
		}
	})
}
