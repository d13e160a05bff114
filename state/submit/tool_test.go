package submit

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// open counts the calls of tools that stand in the ledger.
func (w *window) open(t *testing.T) int {
	t.Helper()
	return must(w.file.Spent(t.Context(), time.Time{}))(t).Unpriced
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
		} {
			f := &fakeService{}
			s := openWindow(t, f)
			during := 0
			f.call = func(context.Context, mcp.Call) (mcp.Answer, error) {
				during = s.open(t)
				return mcp.Answer{}, row.err
			}
			for calls := range 2 { // the second knows where the tools are
				_, err := s.CallTool(t.Context(), ToolCall{Name: "x", Agreed: row.agreed})
				after := s.open(t)
				if during != 1+calls*row.after || after != (1+calls)*row.after || (err == nil) != (row.err == nil) || len(s.toldOf("")) != 1+calls {
					t.Errorf("%+v: %d during the call, %d after it: %v, told %d times", row, during, after, err, len(s.toldOf("")))
				}
			}
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
					db := must(sql.Open("sqlite", s.file.Health().Path))(t)
					must(db.Exec(`DELETE FROM toolcalls`))(t)
					noError(t, db.Close())
				}
				said, structured := `{"job_id":"r1"}`, ""
				if row.full {
					said, structured = structured, said
				}
				return mcp.Answer{Failed: row.failed, Structured: []byte(structured), Parts: []mcp.Part{
					{Kind: mcp.PartText, Text: api.Clean(said, 100)},
					{MediaType: "image/png", Data: []byte("abc")}, {MediaType: "video/mp4", Data: []byte("abc")},
				}}, nil
			}
			s.fetcher.full = row.full
			a := must(s.CallTool(t.Context(), ToolCall{Name: "make_video", Agreed: row.agreed}))(t)
			if s.fetcher.saved != 2 || (a.Unsaved != nil) != (row.full || row.lost) || row.lost && api.ReasonOf(a.Unsaved).Format() != whyJobNotKept || len(a.Files) != 3 ||
				strings.HasSuffix(a.Files[1].Path, "-image-2") == row.full ||
				strings.HasSuffix(a.Files[2].Path, "-video-3") == row.full || row.full && !strings.Contains(a.Unsaved.Error(), "part 3") {
				t.Errorf("%+v: %d parts, files %+v, %v", row, s.fetcher.saved, a.Files, a.Unsaved)
			}
			var j store.Job
			if a.Job != "" {
				j = must(s.Find(t.Context(), a.Job))(t)
				if told := s.toldOf(a.Job); j.Phase != api.PhaseQueued || j.Kind != api.KindVideo || j.Title != "make_video" || len(told) != 1 {
					t.Errorf("%+v: %+v, told %v", row, j.Row, told)
				}
			}
			if j.RemoteID != row.remoteID {
				t.Errorf("%+v: %q is followed", row, j.RemoteID)
			}
		}
	})
}

// TestToolsUnderABudget: one that may spend is refused; one that is declared
// read-only is asked about once.
func TestToolsUnderABudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls := 0
		f := &fakeService{call: func(context.Context, mcp.Call) (mcp.Answer, error) { calls++; return mcp.Answer{}, nil }}
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = api.Credit })
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
			{ToolCall{Name: "spend", Agreed: true}, "budget"},
			{ToolCall{Name: "spend", Agreed: true, UnderBudget: true}, "budget"},
			{ToolCall{Name: "list"}, CodeAskTool},
			{ToolCall{Name: "list", UnderBudget: true}, ""},
			{ToolCall{Name: "list"}, ""},
			{ToolCall{Name: "other"}, CodeAskTool},
		} {
			if got := code(row.call); got != row.code {
				t.Errorf("%d: %q, want %q", i, got, row.code)
			}
		}
		if calls != 2 {
			t.Errorf("%d calls, want 2", calls)
		}
	})
}

// TestAnAgreedCallOutlivesItsCaller: its answer is waited for as a create's is.
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
			f := &fakeService{call: func(ctx context.Context, _ mcp.Call) (mcp.Answer, error) {
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
			_, err := s.CallTool(ctx, ToolCall{Name: "x", Agreed: row.agreed})
			if took := time.Since(began) - time.Second; took != row.took || (err == nil) != row.answered {
				t.Errorf("%+v: %v, %v", row, took, err)
			}
		}
	})
}
