package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/keys"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// answersService gives the same answer to each call for models.
type answersService struct {
	fakeService
	more bool
	err  error
	idle int
}

func (f *answersService) Models(context.Context) ([]api.Model, bool, error) {
	return listOf(2), f.more, f.err
}
func (f *answersService) CloseIdle() { f.idle++ }

func connectAlways(s Service) func(client.Options) Service {
	return func(client.Options) Service { return s }
}

func failed(class api.ErrorClass, status int) *api.Error {
	return &api.Error{Class: class, Status: status, Text: api.Clean("in its words", 40)}
}

// TestHealthAfterEachOutcome: what is shown of the service, and whether its key is
// refused, after a call from a healthy and from a broken state.
func TestHealthAfterEachOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		online  bool
		trouble bool
		refused bool
		gate    bool
	}{
		"an answer":            {nil, true, false, false, false},
		"no network":           {failed(api.ClassNetwork, 0), false, true, false, false},
		"server":               {failed(api.ClassServer, 500), true, true, false, false},
		"unavailable":          {failed(api.ClassServer, 503), true, true, false, true},
		"too many calls":       {failed(api.ClassRate, 429), true, true, false, true},
		"unreadable":           {failed(api.ClassUnreadable, 200), true, true, false, false},
		"a wrong field":        {failed(api.ClassInvalid, 422), true, false, false, false},
		"a wrong key":          {failed(api.ClassKey, 401), true, true, true, false},
		"forbidden":            {failed(api.ClassInvalid, 403), true, true, true, false},
		"unauthorized":         {failed(api.ClassInvalid, 401), true, true, true, false},
		"no credits":           {failed(api.ClassCredits, 403), true, false, false, false},
		"forbidden content":    {failed(api.ClassModeration, 403), true, false, false, false},
		"a key we cannot send": {failed(api.ClassKey, 0), true, false, false, false},
	} {
		for _, trouble := range []bool{false, true} {
			_, r := connected(t, &answersService{})
			if trouble {
				r.update(func(h *Health) { h.Online, h.Trouble = !c.online, api.Sentence("the service is busy").Reason() })
			}
			r.ObserveCall(r.Connection(), c.err)
			h := r.Health()
			expect.That(t, h.Online == c.online && h.Trouble.IsZero() != c.trouble && h.KeyRefused == c.refused, name, h)
			conn, err := r.Ready()
			expect.That(t, (err == nil) != (c.gate || c.refused) && (err == nil) == (conn != nil) && c.refused == errors.Is(err, ErrKeyRefused),
				name, "ready is", err)
			_, no := r.Sendable()
			expect.That(t, (no != nil) == c.refused && (no == nil || no.Code == "key_refused"), name, "sendable is", no)
		}
	}
}

// ringOf is a keyring with keys by account, which can break.
type ringOf struct {
	keys map[string]string
	err  error
}

func guard(r keys.Ring) *keys.Guard { return keys.NewGuard(r, func(string) string { return "" }) }

func (r ringOf) Load(account string) (string, error) {
	if key, ok := r.keys[account]; ok || r.err != nil {
		return key, r.err
	}
	return "", keys.ErrNone
}

func (r ringOf) Store(account, secret string) error {
	if r.err == nil {
		r.keys[account] = secret
	}
	return r.err
}

func (r ringOf) Remove(account string) error {
	if _, ok := r.keys[account]; !ok {
		return keys.ErrNone
	}
	delete(r.keys, account)
	return r.err
}

// TestWhereTheKeyComesFrom looks at each source, and at what is said without one.
func TestWhereTheKeyComesFrom(t *testing.T) {
	t.Parallel()
	const kept = "ak_00112233445566778899"
	for name, c := range map[string]struct {
		base, env    string
		ring         ringOf
		source, hint string
		says, code   string // without a key
	}{
		"environment":        {"https://a.test/gw", "ak_0123456789abcdef", ringOf{keys: map[string]string{"https://a.test": kept}}, "environment", "ak_…cdef", "", ""},
		"keyring":            {"https://a.test/gw", " ", ringOf{keys: map[string]string{"https://a.test": kept}}, "keyring", "ak_…8899", "", ""},
		"another service's":  {"https://a.test", "", ringOf{keys: map[string]string{"https://b.test": kept}}, "", "", "no API key: run 'darkroom login'", "no_key"},
		"a broken keyring":   {"https://a.test", "", ringOf{err: errors.New("broken")}, "", "", "the keyring failed (broken)", "no_key"},
		"a variable's slip":  {"https://a.test", "ak_", ringOf{keys: map[string]string{"https://a.test": kept}}, "", "", "DARKROOM_API_KEY does not hold a key: ", "no_key"},
		"no address":         {"", "ak_0123456789abcdef", ringOf{}, "", "", "the service's address is not set", "no_base"},
		"an unusual address": {"ftp://a.test", "ak_0123456789abcdef", ringOf{}, "", "", "http", "no_base"},
	} {
		o := testOptions(t, c.base)
		var changed atomic.Int32
		o.Changed = func(...string) { changed.Add(1) }
		o.Settings.Change(func(s *settings.Settings) { s.EnvKey = c.env })
		o.Guard, o.Connect = guard(c.ring), connectAlways(&answersService{})
		r := New(t.Context(), o)
		r.FindKey()
		err := r.AwaitKey(limited(t))
		h := r.Health()
		expect.That(t, (err == nil) == (c.source != "") && h.KeySource == c.source && h.KeyHint == c.hint && !h.KeyPending, name, err, h)
		expect.That(t, err == nil || errors.Is(err, ErrNoKey) &&
			strings.Count(err.Error(), "no API key")+strings.Count(err.Error(), "does not hold a key") == 1, name, err)
		conn, no := r.Sendable()
		expect.That(t, c.source == "" || no == nil && conn.Base == c.base && h.Base == strings.TrimPrefix(c.base, "https://") &&
			h.KeyError.IsZero(), name, no, h)
		expect.That(t, c.source != "" || no != nil && no.Code == c.code && strings.Contains(no.Reason.String(), c.says), name, no)
		expect.That(t, changed.Load() != 0, name, "nobody is told")
	}
}

// TestAKeyIsKeptWhereItWasAsked: in keyring and settings file, or in this session.
func TestAKeyIsKeptWhereItWasAsked(t *testing.T) {
	t.Parallel()
	key := must(api.ParseKey("ak_fedcba9876543210"))(t)
	for name, c := range map[string]struct {
		keep   bool
		from   string // where the address before is from
		ring   error
		source string
		saved  bool
	}{
		"in the keyring":       {true, "file", nil, "keyring", true},
		"for this session":     {false, "", nil, "session", true},
		"of the environment":   {true, "environment", nil, "keyring", false},
		"a keyring that fails": {true, "file", errors.New("broken"), "session", true},
	} {
		ring := ringOf{keys: map[string]string{}, err: c.ring}
		file := filepath.Join(t.TempDir(), "config.toml")
		o := testOptions(t, "")
		o.Settings = settings.NewCurrent(settings.Settings{BaseURL: "https://old.test", BaseFrom: c.from, ConfigFile: file, TimeScale: 1, DataDir: t.TempDir()}, nil)
		o.Guard, o.Connect = guard(ring), connectAlways(&answersService{})
		r := New(t.Context(), o)
		for range 2 {
			expect.Equal(t, r.UseKey(t.Context(), "https://new.test/gw/", key, c.keep) != nil, c.ring != nil, name)
		}
		text, _ := os.ReadFile(file)
		h, set := r.Health(), o.Settings.Get()
		expect.That(t, h.KeySource == c.source && h.Base == "new.test/gw" && set.BaseURL == "https://new.test/gw" && r.Connection() != nil &&
			r.Base().String() == "https://new.test/gw", name, h, set.BaseURL)
		saved := string(text) == "base_url = \"https://new.test/gw\"\n"
		expect.That(t, saved == c.saved && (saved == (set.BaseFrom == "file") || c.from == "file"), name, string(text), set.BaseFrom)
		expect.That(t, (ring.keys["https://new.test"] == key.Reveal()) == (c.keep && c.ring == nil),
			name, "the keyring has", len(ring.keys), "keys")
		if c.ring != nil {
			continue
		}
		expect.Equal(t, r.Forget(t.Context()), map[bool]error{false: keys.ErrNone}[c.keep], name, "forgotten")
		expect.All(t, "0 true  ", len(ring.keys), r.Connection() == nil, r.Health().KeyHint, r.Health().KeySource)
	}
	r := New(t.Context(), testOptions(t, ""))
	expect.Fails(t, r.UseKey(t.Context(), "nowhere", key, false), "", "at no address")
	expect.Is(t, r.UseKey(t.Context(), "https://a.test", api.Key{}, false), ErrNoKey)
	expect.That(t, r.Connection() == nil, "it is connected without a key at an address")
}

func TestARefusalOfAReplacedKeyIsNotOfTheNewOne(t *testing.T) {
	t.Parallel()
	_, r := connected(t, &answersService{})
	before := r.Connection()
	full := api.Sentence("the disk is full").Reason()
	r.SetTrouble(full)
	expect.That(t, r.Health().Trouble.String() == full.String(), "no trouble", r.Health())
	noError(t, r.UseKey(t.Context(), "https://service.test", must(api.ParseKey("ak_fedcba9876543210"))(t), false))
	r.Observe(before, failed(api.ClassKey, 401))
	h := r.Health()
	expect.That(t, !h.KeyRefused && h.KeySource == "session" && h.KeyHint == "ak_…3210", h)
}

func TestAKeyIsTriedAndNotKept(t *testing.T) {
	t.Parallel()
	key := must(api.ParseKey("ak_fedcba9876543210"))(t)
	for name, c := range map[string]struct {
		err     error
		refused bool
	}{"taken": {nil, false}, "refused": {failed(api.ClassKey, 401), true}, "no answer": {failed(api.ClassNetwork, 0), false}} {
		o := testOptions(t, "")
		o.Connect = connectAlways(&answersService{err: c.err})
		r := New(t.Context(), o)
		err := r.CheckKey(t.Context(), "https://a.test", key)
		expect.That(t, (err == nil) == (c.err == nil) && errors.Is(err, ErrKeyRefused) == c.refused && r.Connection() == nil && r.Base() == nil,
			name, err)
		expect.That(t, err == nil || err.Error() == c.err.Error(), name, err, "in other words")
	}
	expect.That(t, New(t.Context(), testOptions(t, "")).CheckKey(t.Context(), "nowhere", key) != nil, "it was tried at no address")
}

// TestTheGateRestsAsLongAsAsked: at least a second, at most an hour; without a wait
// 60 s, doubling to 15 min, and again 60 s after an answer.
func TestTheGateRestsAsLongAsAsked(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		_, r := connected(t, &answersService{})
		c := r.Connection()
		for _, row := range []struct{ asked, want time.Duration }{
			{0, time.Minute}, {0, 2 * time.Minute}, {0, 4 * time.Minute}, {0, 8 * time.Minute}, {0, 15 * time.Minute}, {0, 15 * time.Minute},
			{time.Millisecond, time.Second}, {10 * time.Second, 10 * time.Second}, {9 * time.Hour, time.Hour},
		} {
			wait := r.CloseGate(c, &api.Error{Class: api.ClassRate, Status: 429, RetryAfter: row.asked})
			until := must(r.o.Store().GateUntil(t.Context(), c.Base))(t)
			expect.Equal(t, time.Until(until).Round(time.Millisecond), row.want, "asked for", row.asked, "it rests for")
			expect.That(t, wait >= row.want-time.Millisecond && wait <= row.want+time.Second, "asked for", row.asked, "it waits for", wait)
			expect.That(t, !r.Health().Trouble.IsZero(), "asked for", row.asked, r.Health())
			expect.Fails(t, expect.Err(r.Ready()), until.Format("15:04:05"), "asked for", row.asked, "ready")
			time.Sleep(time.Until(until) + time.Millisecond)
			expect.Is(t, expect.Err(r.Ready()), nil, "after", row.want)
		}
		now := time.Now()
		expect.That(t, !r.TooFar(now.Add(2*time.Hour), now) && r.TooFar(now.Add(2*time.Hour+time.Second), now), "2 h ahead is not the limit")
		r.Wake(now)
		expect.Equal(t, c.Service.(*answersService).idle, 1, "dead connections are kept")
		must(r.o.Store().CloseGate(t.Context(), c.Base, now.AddDate(0, 1, 0), time.Minute, time.Minute, time.Hour))(t)
		expect.Is(t, expect.Err(r.Ready()), nil, "of a clock that was a month ahead")
	})
}

// TestAFaultOfPricesHoldsBackPricesOnly, for the time that it asks for, by base.
func TestAFaultOfPricesHoldsBackPricesOnly(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		f := &answersService{}
		f.fault = &api.Error{Class: api.ClassServer, Status: 503, RetryAfter: 30 * time.Second}
		_, r := connected(t, f)
		ask := func(prompt string) error {
			_, err := r.Estimate(t.Context(), api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: prompt})
			return err
		}
		expect.Is(t, ask("a"), f.fault)
		expect.That(t, r.Health().Online && r.Health().Trouble.IsZero(), r.Health())
		err := ask("b")
		expect.Fails(t, err, "can be asked again at "+time.Now().Add(30*time.Second).Format("15:04:05"), "the price alone") // it takes requests
		expect.That(t, !errors.Is(err, f.fault) && f.asked() == 1, err, "after", f.asked(), "calls")
		expect.Is(t, expect.Err(r.Ready()), nil, "other calls rest")
		time.Sleep(30 * time.Second)
		expect.Is(t, ask("c"), f.fault)
		expect.Equal(t, f.asked(), 2, "calls")
		f.fault = &api.Error{Class: api.ClassRate, Status: 429}
		time.Sleep(30 * time.Second)
		expect.Is(t, ask("d"), f.fault)
		expect.Fails(t, expect.Err(r.Ready()), "", "after a 429 of the estimate other calls go on")
	})
}

// TestWhatIsKnownWithoutACall: the table's price, else the last of the service; none
// of a request that holds the key.
func TestWhatIsKnownWithoutACall(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		f := &answersService{}
		_, r := connected(t, f)
		req := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "a"}
		e := r.KnownEstimate(t.Context(), req)
		expect.That(t, !e.Known() && e.Source == api.SourceNone, e)
		must(r.Estimate(t.Context(), req))(t)
		e = r.KnownEstimate(t.Context(), req)
		expect.That(t, e.Credits == api.Credit && !e.At.IsZero(), e)
		req.Model = "acme/other"
		expect.That(t, !r.KnownEstimate(t.Context(), req).Known(), "another model's price is known")
		soon := api.Estimate{Credits: api.Credit, Source: api.SourceService, At: time.Now().Add(time.Hour)}
		r.remember(cacheEstimates, r.Base().String()+" "+req.EstimateKey(api.Model{}), soon, soon.At)
		expect.That(t, !r.KnownEstimate(t.Context(), req).Known(), "a price of the future is known")
		for i := range 100 + 1 { // memory is bounded
			req.Model = fmt.Sprint("acme/", i)
			_, _ = r.Estimate(t.Context(), req)
		}
		n := f.asked()
		req.Model = fmt.Sprint("acme/", 100-1) // the last but one
		_, _ = r.Estimate(t.Context(), req)
		expect.That(t, len(r.estimates) <= 100 && f.asked() == n, len(r.estimates), "estimates are kept", f.asked()-n, "asked for again")
		video := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "standard", Resolution: "720p", Duration: "5", Prompt: "x"}
		e = r.KnownEstimate(t.Context(), video)
		expect.That(t, e.Known() && e.Source == api.SourceTable, "of the table", e)
		req.Prompt = "a kite ak_0123456789abcdef"
		_, err := r.Estimate(t.Context(), req)
		expect.That(t, errors.Is(err, ErrHoldsKey) && r.HoldsKey(req) && f.asked() == n, "with the key", err)
		req.Prompt = "ak_"
		expect.That(t, !r.HoldsKey(req), "a harmless prompt holds the key")
	})
}

// TestWhatACreateShows is kept by base, and decides how long the next one may take.
func TestWhatACreateShows(t *testing.T) {
	t.Parallel()
	o, r := connected(t, &answersService{})
	const base = "https://service.test"
	seen := func() settings.Seen { return must(r.Profile(t.Context()))(t).Seen }
	for _, row := range []struct {
		sync   bool
		phase  api.Phase
		want   settings.Seen
		atOnce bool
	}{
		{false, api.PhaseUnknown, settings.Seen{}, false},
		{false, api.PhaseQueued, settings.Seen{Answers: "job", JobID: "data.id"}, false},
		{true, api.PhaseFetching, settings.Seen{Answers: "job", AnswersSync: "result", JobID: "data.id"}, false},
		{false, api.PhaseFetching, settings.Seen{Answers: "result", AnswersSync: "result", JobID: "data.id"}, true},
		{false, api.PhaseRejected, settings.Seen{Answers: "result", AnswersSync: "result", JobID: "data.id"}, true},
	} {
		r.RecordCreate(base, row.sync, api.Outcome{Phase: row.phase, Answer: api.JobAnswer{IDPath: "data.id"}})
		got := seen()
		expect.Equal(t, got.At.IsZero(), row.want == settings.Seen{}, row.phase, "changed at", got.At)
		got.At = time.Time{}
		expect.That(t, got == row.want && r.AnswersAtOnce(base) == row.atOnce && !r.AnswersAtOnce("https://other.test"), row.phase, got)
	}
	for set, atOnce := range map[string]bool{settings.AnswersJob: false, settings.AnswersResult: true} {
		o.Settings.Change(func(s *settings.Settings) { s.Ways.Answers = set })
		expect.Equal(t, r.AnswersAtOnce(base), atOnce, "set to", set, "by hand")
	}
}

// TestModelsAndWhatIsMissing: a listing is kept; only a whole one says that a model
// is missing.
func TestModelsAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := &answersService{more: true}
	_, r := connected(t, f)
	expect.That(t, !r.Unlisted(t.Context(), "nobody/listed"), "missing in no listing")
	r.record(r.Base().String(), func(seen *settings.Seen) { seen.MorePages = true })
	l := r.KnownModels(t.Context())
	expect.That(t, !l.More && l.Models == nil && l.Err == nil, "of no listing", l)
	l = r.Models(t.Context())
	expect.That(t, l.Err == nil && len(l.Models) == 2 && l.More && !l.Cached && !r.Unlisted(t.Context(), "nobody/listed"), l)
	expect.Len(t, must(r.Profile(t.Context()))(t).Ratios[""], 2)
	f.more = false
	l = r.Models(t.Context())
	expect.That(t, !l.More && r.Unlisted(t.Context(), "nobody/listed") && !r.Unlisted(t.Context(), "lumen/still-1"), l)
	f.err = failed(api.ClassServer, 500)
	l = r.Models(t.Context())
	expect.That(t, errors.Is(l.Err, f.err) && len(l.Models) == 2 && l.Cached, l)
	f.err = failed(api.ClassKey, 401)
	r.Models(t.Context())
	l = r.Models(t.Context())
	expect.That(t, errors.Is(l.Err, ErrKeyRefused) && len(l.Models) == 2, l)
	none := New(t.Context(), testOptions(t, ""))
	expect.Is(t, none.KnownModels(t.Context()).Err, ErrNoBase)
	expect.Is(t, expect.Err(none.Profile(t.Context())), ErrNoBase)
}

// TestInboxIsCleared of our own files that are a week old, and of nothing else.
func TestInboxIsCleared(t *testing.T) {
	t.Parallel()
	r := New(t.Context(), testOptions(t, "https://service.test"))
	r.ClearInbox() // without a folder
	f := must(r.inboxFile())(t)
	info, err := f.Stat()
	expect.That(t, err == nil && info.Mode().Perm() == 0o600 && f.Close() == nil, info, err)
	old := time.Now().Add(-7*24*time.Hour - time.Minute)
	young := time.Now().Add(-7*24*time.Hour + time.Hour)
	for name, at := range map[string]time.Time{"result-old.part": old, "result-young.part": young, "mine.txt": old} {
		path := filepath.Join(r.inbox(), name)
		noError(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)))
	}
	r.ClearInbox()
	left := api.Map(must(os.ReadDir(r.inbox()))(t), os.DirEntry.Name)
	expect.Equal(t, strings.Join(left, " "), "mine.txt "+filepath.Base(f.Name())+" result-young.part", "left")
}

// entryService has its tools at one place, and answers elsewhere with an error.
type entryService struct {
	answersService
	at    string
	entry error
	asked []string
}

func (f *entryService) Tools(_ context.Context, path string) (mcp.Listing, error) {
	f.asked = append(f.asked, path)
	if path == "" || path == f.at {
		return mcp.Listing{Path: f.at}, nil
	}
	return mcp.Listing{}, f.entry
}

// TestAnEntryThatAnswersNoMore: only an answer that nothing is there makes the known
// places be asked again; what is about the service is shown. A refusal by the entry
// alone does not stop jobs.
func TestAnEntryThatAnswersNoMore(t *testing.T) {
	t.Parallel()
	canceled, refusal := failed(api.ClassNetwork, 0), failed(api.ClassKey, 401)
	canceled.Cause = context.Canceled
	for name, c := range map[string]struct {
		entry, service error
		again          bool
		says           string // of the service, in Health
	}{
		"not found":       {failed(api.ClassNotFound, 404), nil, true, ""},
		"a page":          {failed(api.ClassUnreadable, 200), nil, true, ""},
		"another method":  {failed(api.ClassInvalid, 405), nil, true, ""},
		"a fault":         {failed(api.ClassServer, 500), nil, false, ""},
		"a rest":          {failed(api.ClassRate, 429), nil, false, "in its words"},
		"no network":      {failed(api.ClassNetwork, 0), nil, false, "in its words"},
		"it was canceled": {canceled, nil, false, ""},
		"another login":   {refusal, nil, false, ""},
		"a refused key":   {refusal, refusal, false, ErrKeyRefused.Error()},
	} {
		f := &entryService{at: "/old"}
		o, r := connected(t, f)
		expect.Equal(t, r.KnownTools(t.Context()).Address, "", name, "known before they were asked for")
		box, err := r.Tools(limited(t))
		known := r.KnownTools(t.Context())
		expect.Must(t, err == nil && !box.At.IsZero() && known.Address == "https://service.test/old", name, err, box, known)
		f.at, f.entry, f.err, f.asked = "/new", c.entry, c.service, nil
		box, err = r.Tools(limited(t))
		places := map[bool]string{false: "/old", true: "/old "}[c.again]
		expect.That(t, strings.Join(f.asked, " ") == places && (err == nil) == c.again && (box.Path == "/new") == c.again,
			name, "asked", f.asked, "got", box.Path, err)
		own := err != nil && strings.Contains(err.Error(), "although the service takes it")
		refused := errors.Is(err, ErrKeyRefused)
		expect.That(t, refused == (c.service != nil) && own == (c.entry == refusal && !refused), name, err)
		trouble := r.Health().Trouble.String()
		expect.That(t, (trouble == "") == (c.says == "") && strings.Contains(trouble, c.says), name, "the trouble is", trouble)
		expect.Equal(t, r.Health().KeyRefused, c.service != nil, name, "the key is refused")
		expect.Equal(t, must(r.Profile(t.Context()))(t).Seen.ToolsPath == "/new", c.again, name, "remembered")
		if !c.again {
			continue
		}
		o.Settings.Change(func(s *settings.Settings) { s.Ways.ToolsPath = "/by/hand" })
		f.asked = nil
		_, err = r.Tools(limited(t))
		expect.That(t, err != nil && slices.Equal(f.asked, []string{"/by/hand"}), name, "set by hand, but", f.asked, "were asked", err)
		o.Settings.Change(func(s *settings.Settings) { s.Ways.ToolsPath = "https://other.test/mcp" })
		expect.Fails(t, expect.Err(r.Tools(limited(t))), "tools_path in the settings file", name, "set to another host")
		expect.Len(t, f.asked, 1, name, "asked")
	}
	// With a key that is refused an entry whose place is not known is not looked for.
	f := &entryService{answersService: answersService{err: refusal}}
	_, r := connected(t, f)
	_, err := r.Tools(limited(t))
	expect.That(t, errors.Is(err, ErrKeyRefused) && len(f.asked) == 0, "with a refused key", err, "asked", f.asked)
	expect.Equal(t, New(t.Context(), testOptions(t, "")).KnownTools(t.Context()).Address, "", "without a service")
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	var b Breaker
	now := time.Now()
	for n := range 3 {
		ok, _ := b.Enter(now)
		expect.Must(t, ok, "open after", n, "failures")
		wait := b.Failed(now, 1)
		expect.That(t, wait > 0 && wait <= Backoff<<n, "failure", n+1, "a wait of", wait)
	}
	ok, until := b.Enter(now)
	expect.That(t, !ok && until.After(now), "after three failures", ok, until)
	ok, _ = b.Enter(until)
	expect.That(t, ok, "no probe when its time has come")
	ok, at := b.Enter(until)
	expect.That(t, !ok && at.IsZero(), "a second probe beside the first", ok, at)
	b.Cancel()
	ok, _ = b.Enter(until)
	expect.That(t, ok, "no probe after one that was not made")
	expect.That(t, b.Worked() && !b.Worked(), "only the first answer closes it")
	ok, _ = b.Enter(now)
	expect.That(t, ok, "still open after an answer")
}

func TestEstimatesAreKept(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		f := &fakeService{slow: time.Second}
		_, s := connected(t, f)
		r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "a", Size: "1K"}
		for n := range 5 {
			r.Prompt = fmt.Sprint("prompt ", n) // does not change the price
			q := r
			go func() { _, _ = s.Estimate(t.Context(), q) }()
		}
		time.Sleep(2 * time.Second)
		e := must(s.Estimate(t.Context(), r))(t)
		expect.That(t, e.Credits == api.Credit && f.asked() == 1, e.Credits, f.asked(), "calls")
		time.Sleep(time.Minute)
		expect.Equal(t, must(s.Estimate(t.Context(), r))(t).Credits, 2*api.Credit)
		time.Sleep(time.Minute)
		f.fault = failed(api.ClassNetwork, 0)
		e, err := s.Estimate(t.Context(), r)
		expect.That(t, err != nil && e.Credits == 2*api.Credit && e.Source == api.SourceService && time.Since(e.At) >= time.Minute,
			"without a network", e, err)
	})
}

// TestAPriceOfBeforeASleepIsNotKept, nor one of before the clock was set back. There is only one clock in a bubble.
func TestAPriceOfBeforeASleepIsNotKept(t *testing.T) {
	t.Parallel()
	for at, asks := range simtest.ClocksApart(api.FreshFor) {
		_, s := connected(t, &fakeService{})
		noError(t, s.AwaitKey(limited(t)))
		r := api.Request{Kind: api.KindImage, Model: "acme/paint"}
		must(s.Estimate(t.Context(), r))(t)
		for key, e := range s.estimates {
			e.At = at
			s.estimates[key] = e
		}
		expect.Equal(t, must(s.Estimate(t.Context(), r))(t).At != at, asks, at, "is", time.Now(), "asked for again")
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		scale Scale
		d     time.Duration
		want  time.Duration
	}{
		{1, time.Second, time.Second}, {0, time.Second, time.Second}, {-1, time.Second, time.Second}, {1, time.Nanosecond, time.Nanosecond},
		{0.1, time.Second, 100 * time.Millisecond}, {0.0001, time.Second, 5 * time.Millisecond}, {2, time.Second, 2 * time.Second},
	} {
		expect.Equal(t, row.scale.Of(row.d), row.want, row.scale, row.d)
	}
	for scale, want := range map[float64]float64{-1: 1, 0: 1, 0.01: 0.1, 0.1: 0.1, 0.5: 0.5, 3: 3} {
		expect.Equal(t, CallScale(settings.Settings{TimeScale: scale}), want, "limits of calls at", scale)
	}
	expect.Equal(t, Scale(0.1).Undo(time.Second), 10*time.Second, "undone")
}

func TestWaitsAreSpread(t *testing.T) {
	t.Parallel()
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		d := Jitter(time.Second)
		low, high = min(low, d), max(high, d)
	}
	expect.That(t, low >= 800*time.Millisecond && high <= 1200*time.Millisecond && high-low >= 300*time.Millisecond,
		"jitter of a second from", low, "to", high)
	for failures, top := range map[int]time.Duration{0: time.Second, 1: time.Second, 3: 4 * time.Second, 60: time.Minute} {
		longest := time.Duration(0)
		for range 1000 {
			d := fullJitter(failures)
			expect.Must(t, d >= 0 && d <= top, "after", failures, "failures", d, "want up to", top)
			longest = max(longest, d)
		}
		expect.That(t, longest >= top/2, "after", failures, "failures never more than", longest, "of", top)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	expect.That(t, Sleep(t.Context(), 0) && !Sleep(ended, time.Hour), "a wait of nothing was cut short, or one outlived its context")
}

func TestLogTurnsOverAndKeepsLines(t *testing.T) {
	t.Parallel()
	key := must(api.ParseKey("ak_Zq7vT2mXw9Kd4RbYh"))(t)
	path := filepath.Join(t.TempDir(), "state", "darkroom.log")
	l := &logFile{path: path, most: 4000, key: key}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				l.printf("a call\nwith %s and ak_another_key_000000", key.Reveal())
			}
		})
	}
	all.Wait()
	for _, path := range []string{path, path + ".old"} {
		text := string(must(os.ReadFile(path))(t))
		for line := range strings.Lines(text) {
			expect.That(t, strings.HasSuffix(line, "Z a call with ak_…RbYh and ak_…\n"), "the line", line)
		}
		expect.That(t, int64(len(text)) <= l.most+200, len(text), "bytes")
	}
	// A link in its place is set aside, not written through.
	target := filepath.Join(t.TempDir(), "elsewhere")
	noError(t, os.Remove(path))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here")
	}
	l.printf("x")
	expect.Fails(t, expect.Err(os.Stat(target)), "", "it wrote through a link")
}

func listOf(n int) []api.Model {
	var out []api.Model
	for i := range n {
		out = append(out, api.Model{ID: fmt.Sprint("lumen/still-", i), Kind: api.KindImage})
	}
	return out
}

// TestListingOfAnotherWindow reads the listing again when another window
// stored a newer one, and hands out a slice that the caller may change.
func TestListingOfAnotherWindow(t *testing.T) {
	t.Parallel()
	o, r := connected(t, &fakeService{})
	at := time.Now()
	for n := 1; n < 4; n++ {
		raw := must(json.Marshal(listOf(n)))(t)
		noError(t, o.Store().Remember(t.Context(), cacheModels, "https://service.test", raw, at.Add(time.Duration(n)*time.Second)))
		for range 2 {
			l := r.KnownModels(t.Context())
			expect.Must(t, len(l.Models) == n && l.Cached && !l.At.Before(at) && l.Models[n-1].ID == fmt.Sprint("lumen/still-", n-1),
				"after listing", n, l)
			expect.Equal(t, len(r.listings["https://service.test"].Models), n, "models of a listing that is decoded each time")
			slices.Reverse(l.Models)
			l.Models[0].ID = "changed"
		}
		expect.Equal(t, r.Model(t.Context(), "https://service.test", fmt.Sprint("lumen/still-", n-1)).Kind, api.KindImage, "the kind of a model of the listing", n)
	}
	l, _ := r.storedModels(t.Context(), "https://elsewhere.test")
	expect.That(t, len(l.Models) == 0 && !l.Cached, "another service has", l)
}

func TestEstimateMethodIsKeptOverSessions(t *testing.T) {
	t.Parallel()
	o := testOptions(t, "https://service.test")
	var post []bool
	o.Connect = func(c client.Options) Service {
		post = append(post, c.EstimatePost)
		c.MethodFound("POST")
		return &fakeService{}
	}
	for range 2 {
		openRemote(t, o)
	}
	expect.That(t, len(post) == 2 && !post[0] && post[1], post)
}

func TestRatioSetByHand(t *testing.T) {
	t.Parallel()
	o, s := connected(t, &fakeService{})
	o.Settings.Change(func(set *settings.Settings) { set.Ways.Ratio = api.FieldRatio })
	r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x", AspectRatio: "16:9"}
	for _, m := range []api.Model{
		{ID: "acme/paint"},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio", Values: []string{"16:9"}}}},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio"}, {Name: "ratio"}, {Name: "size"}}},
	} {
		m := o.Settings.Get().Ways.ListRatio([]api.Model{m})[0]
		_, kept := m.Parameter("size")
		expect.Equal(t, kept, len(m.Parameters) > 1, "the size is kept")
		expect.Contains(t, string(r.Body(m)), `"ratio":"16:9"`)
		expect.Lacks(t, string(r.Body(m)), "aspect_ratio")
	}
	expect.Contains(t, string(r.Body(s.Model(t.Context(), "https://service.test", "nobody/listed"))), `"ratio":`)
}

// TestToolClientsHoldTheAddress, and the variable of the key unless they can only ask.
func TestToolClientsHoldTheAddress(t *testing.T) {
	t.Parallel()
	const address = "https://service.test/mcp"
	var got []string
	for _, c := range ToolClients(address) {
		asks := !strings.Contains(c.Text, address) && !strings.Contains(c.Text, "DARKROOM_API_KEY")
		expect.That(t, asks == c.Asks && !strings.Contains(c.Text, "ADDRESS") && !strings.Contains(c.Text, "VARIABLE") &&
			strings.TrimRight(c.Text, "\n") == c.Text, c.Name, "asks", c.Asks, "and says", c.Text)
		got = append(got, c.Name+" "+c.File)
	}
	expect.List(t, got, []string{"agents ", "project .mcp.json", "vscode .vscode/mcp.json", "cursor .cursor/mcp.json", "codex .codex/config.toml", "curl "})
}

// testOptions are options for a Remote with a key and a store in a folder of
// its own.
func testOptions(t testing.TB, base string) Options {
	t.Helper()
	dir := t.TempDir()
	file := must(store.Open(t.Context(), filepath.Join(dir, "darkroom.db")))(t)
	var tasks sync.WaitGroup
	t.Cleanup(func() {
		tasks.Wait()
		noError(t, file.Close())
	})
	return Options{Guard: guard(ringOf{}), Shared: Shared{
		Settings: settings.NewCurrent(settings.Settings{
			BaseURL: base, BaseFrom: "environment", EnvKey: "ak_0123456789abcdef", TimeScale: 1, DataDir: dir,
		}, nil),
		Store: func() *store.Store { return file }, Go: tasks.Go, Changed: func(...string) {},
	}}
}

// openRemote makes a Remote that has taken its key into use.
func openRemote(t testing.TB, o Options) *Remote {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r := New(ctx, o)
	r.FindKey()
	noError(t, r.AwaitKey(limited(t)))
	return r
}

// connected is a Remote with a key whose calls go to f.
func connected(t testing.TB, f Service) (Options, *Remote) {
	t.Helper()
	o := testOptions(t, "https://service.test")
	o.Connect = connectAlways(f)
	return o, openRemote(t, o)
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError, limited = simtest.NoError, simtest.Limited

// fakeService gives prices, each dearer by a credit;
// every other call would be a mistake.
type fakeService struct {
	Service
	prices atomic.Int32
	fault  error         // of the next prices
	slow   time.Duration // what each takes
}

func (f *fakeService) Estimate(context.Context, api.Request, api.Model) (api.Estimate, error) {
	n := f.prices.Add(1)
	time.Sleep(f.slow)
	if f.fault != nil {
		return api.Estimate{}, f.fault
	}
	return api.Estimate{Credits: api.Credits(n) * api.Credit, Source: api.SourceService}, nil
}

func (f *fakeService) asked() int { return int(f.prices.Load()) }

// TestThePromisesNameTheFigures that hold here.
func TestThePromisesNameTheFigures(t *testing.T) {
	simtest.Promised(t, fmt.Sprintf("when it reaches %d MiB", maxLog>>20), fmt.Sprintf("doubling each time up to %d min", gateTop/time.Minute),
		fmt.Sprintf("more than %d h into the future", farthest/time.Hour), fmt.Sprintf("spread over %d s", ReplanSpan/time.Second))
}
