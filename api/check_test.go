package api

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
)

// ruleCase is a row of testdata/rules.json: one sentence of the spec that is a rule, and a request that keeps or
// breaks it. The simulator's tests post the same rows.
type ruleCase struct {
	Name    string  `json:"name"`
	Section string  `json:"section"`
	Request Request `json:"request"`
	Repeat  int     `json:"repeat"` // the prompt stands so many times
	Model   Model   `json:"model"`
	Field   string  `json:"field"` // empty: the request is good
	Code    string  `json:"code"`
}

func TestRules(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/rules.json")
	var cases []ruleCase
	expect.Is(t, errors.Join(err, json.Unmarshal(raw, &cases)), nil)
	codes := map[string]bool{}
	for _, c := range cases {
		c.Request.Prompt = strings.Repeat(c.Request.Prompt, max(1, c.Repeat))
		codes[c.Code] = true
		t.Run(c.Name, func(t *testing.T) {
			got := Check(c.Request, c.Model, "")
			var want, have []string
			if c.Field != "" {
				want = []string{c.Field + " " + c.Code}
			}
			for _, p := range got {
				have = append(have, p.Field+" "+p.Code)
				_, known := problems[p.Code]
				expect.That(t, known, "problems misses", p.Code)
			}
			expect.List(t, have, want, c.Section, "problems")
			back, err := ParseBody(c.Request.Kind, c.Request.Body(c.Model))
			again := Check(back, c.Model, "")
			expect.That(t, err == nil && len(again) == len(got), "the body's problems", again, "are not the request's", got, err)
		})
	}
	expect.That(t, len(codes) >= 24, "the table shows", len(codes), "codes only")
}

// TestWhatProblemsTell: each sentence has the values that it needs, and a value has one problem.
func TestWhatProblemsTell(t *testing.T) {
	t.Parallel()
	three, twelve, most, long := 3.0, 12.0, int64(maxSafe), strings.Repeat("a", 257)
	param := func(name string, values ...string) []Parameter { return []Parameter{{Name: name, Values: values}} }
	clip := func(duration string) Request {
		return Request{Kind: KindVideo, Model: "m", Prompt: "p", Duration: duration}
	}
	for i, row := range []struct {
		r    Request
		list []Parameter
		want string
	}{
		{Request{Model: Seedance2, Prompt: "【@图片1】【@图片3】【@图片3】【@视频1】【@图片01】【@音频2】", ImageFiles: []string{"https://a.example/1", "https://a.example/2"}, AudioFiles: []string{"https://a.example/3"}}, nil,
			"prompt no_such_material [【@图片3】 2 图片] prompt no_material [【@视频1】 视频] prompt bad_token [【@图片01】] prompt no_such_material [【@音频2】 1 音频] "},
		{Request{Prompt: strings.Repeat("船", 5002)}, nil, "prompt too_long [5002 5000 2] "},
		{Request{Model: "a/b\x01"}, nil, "model bad_text [model] "},
		{Request{Model: "a/" + long[3:]}, nil, ""},
		{Request{Model: "a/" + long[2:]}, nil, "model bad_text [model] "},
		{Request{Model: Seedance2, ImageFiles: slices.Repeat([]string{"https://a.example"}, 11)}, nil, "image_files too_many [image_files 9 2] "},
		{Request{Model: "m", Resolution: "720p"}, param("resolution", "1080P", "720P"), "resolution not_listed [resolution [1080P 720P]] "},
		{Request{Model: "m", Resolution: "1080p"}, param("resolution", "1080P", "720P"), "resolution not_listed [resolution [1080P 720P]] "},
		{Request{Model: "m", Resolution: "9p"}, param("resolution", "1080P", "0"), "resolution not_listed [resolution [1080P 0]] "},
		{Request{Model: "m", AspectRatio: "9:9"}, param("ratio", "1:1"), "aspect_ratio not_listed [ratio [1:1]] "},
		{Request{Model: "m", AspectRatio: "1:1"}, param("ratio", "1:1"), ""},
		{Request{Model: "m", Resolution: long[1:]}, nil, ""},
		{Request{Model: "m", Resolution: long}, nil, "resolution bad_text [resolution] "},
		{Request{Model: Seedance2, FunctionMode: "x"}, []Parameter{{Name: "functionMode", Min: &three}}, "functionMode not_a_choice [functionMode [omini first_last_frame]] "},
		{Request{Model: Seedance2, VideoModel: "fast", Resolution: "9p"}, []Parameter{{Name: "resolution", Min: &three}}, "resolution fixed_resolution [fast 720p] "},
		{clip("0"), param("duration", "5", "10"), "duration not_listed [duration [5 10]] "},
		{Request{Kind: KindVideo, Model: Seedance2, Duration: "1e1"}, param("duration", slices.Repeat([]string{"5"}, MaxValues)...), "duration not_a_number [duration] "}, // the list may be longer
		{Request{Model: "m", Resolution: "9p"}, param("resolution", slices.Repeat([]string{"1p"}, MaxValues)...), ""},
		{clip("-Inf"), nil, ""},
		{clip("5"), []Parameter{{Name: "duration", Max: &twelve}}, ""},
		{clip("12.5"), []Parameter{{Name: "duration", Max: &twelve}}, "duration above_max [duration 12 s] "},
		{clip("long"), []Parameter{{Name: "duration", Max: &twelve}}, "duration not_a_number [duration] "},
		{clip("2"), []Parameter{{Name: "duration", Min: &three}}, "duration below_min [duration 3 s] "},
		{clip("long"), []Parameter{{Name: "duration", Min: &three}}, "duration not_a_number [duration] "},
		{clip(""), []Parameter{{Name: "duration"}}, ""},
		{clip(""), []Parameter{{Name: "duration", Required: true, Default: "5"}}, ""},
		{clip(""), []Parameter{{Name: "duration", Required: true}}, "duration required [duration] "},
		{Request{Model: Seedance2, Seed: &most}, nil, ""},
		{Request{Model: Seedance2, Seed: new(-most)}, nil, ""},
		{Request{Model: Seedance2, Seed: new(-most - 1)}, nil, fmt.Sprintf("seed out_of_range [%d] ", most)},
	} {
		if row.r.Kind = KindVideo; strings.Contains(cmp.Or(row.r.Model, "a/b"), "/") {
			row.r.Kind = KindImage
		}
		row.r.Model, row.r.Prompt = cmp.Or(row.r.Model, "a/b"), cmp.Or(row.r.Prompt, "p")
		got := ""
		for _, p := range Check(row.r, Model{ID: row.r.Model, Kind: row.r.Kind, Parameters: row.list}, "") {
			got += fmt.Sprint(p.Field, " ", p.Code, " ", p.Args, " ")
		}
		expect.Equal(t, got, row.want, i)
	}
	expect.Equal(t, fmt.Sprint(NewProblem("seed", "x", "seed", 9, "seeds").Named(strings.ToUpper).Args), "[SEED 9 seeds]", "with a person's names of fields")
}

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	seed := int64(1 << 60)
	r := Request{Kind: KindVideo, Model: Seedance2, Size: "1K", Quality: "x", Seed: &seed, Duration: "-1",
		AudioFiles: []string{""}, EndImageURL: "https://example.com", AspectRatio: " ", Resolution: "9p", VideoModel: "x"}
	got := Map(Check(r, Model{}, ""), func(p Problem) string { return p.Field })
	want := []string{"prompt", "end_image_url", "audio_files.1", "audio_files", "seed", "duration", "aspect_ratio", "video_model", "size", "quality"}
	expect.List(t, got, want, "order")
	none := Check(Request{}, Model{}, "")
	expect.That(t, len(none) == 1 && none[0].Code == "no_kind", "without a kind", none)
}

func TestApplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Kind: KindImage, Model: "a/b"}, "model prompt size quality aspect_ratio image_url async"},
		{Request{Kind: KindVideo, Model: "a/b"}, "model prompt image_url duration aspect_ratio resolution async"},
		{Request{Kind: KindVideo, Model: Seedance2}, "model prompt image_url image_files video_url video_files audio_files functionMode seed duration aspect_ratio resolution video_model async"},
		{Request{Kind: KindVideo, Model: Seedance2, FunctionMode: ModeFirstLastFrame}, "model prompt image_url end_image_url functionMode seed duration aspect_ratio resolution video_model async"},
	} {
		expect.Equal(t, strings.Join(Applies(c.r), " "), c.want, c.r.Kind, c.r.Model, c.r.FunctionMode)
	}
}

// FuzzRules checks that no request can stop Check, and that a body tells everything that the request has.
func FuzzRules(f *testing.F) {
	f.Add("video", "seedance2", "【@图片1】", "https://example.com/a", "5", "720p", "fast", "", int64(7), uint8(3), "seed")
	f.Add("image", "a/b", "\xff", "http://[::1]", "05.10", "\u2028", "<&>", "first_last_frame", int64(-1), uint8(12), "ratio")
	f.Fuzz(func(t *testing.T, kind, model, prompt, address, duration, resolution, tier, mode string, seed int64, count uint8, listed string) {
		r := Request{Kind: Kind(kind), Model: model, Prompt: prompt, ImageURL: address, Duration: duration,
			Resolution: resolution, VideoModel: tier, FunctionMode: mode, Seed: &seed, AspectRatio: tier, Sync: count%2 == 0}
		for range count % 12 {
			r.ImageFiles = append(r.ImageFiles, address)
			r.AudioFiles = append(r.AudioFiles, duration)
		}
		low := float64(count)
		m := Model{Parameters: []Parameter{{Name: listed, Min: &low, Values: nil}, {Name: "ratio", Values: []string{tier}}}}
		for _, p := range Check(r, m, "") {
			_, known := problems[p.Code]
			expect.That(t, p.Field != "" && known, p)
		}
		body := r.Body(m)
		back, err := ParseBody(r.Kind, body)
		again := back.Body(m)
		expect.That(t, err == nil && json.Valid(body) && string(again) == string(body), "body", body, "again", again, err)
		TableEstimate(r)
		r.EstimateBody(m)
		r.EstimateQuery(m)
	})
}

// TestRowsOfFields sets each field of the table and finds it where it belongs.
func TestRowsOfFields(t *testing.T) {
	t.Parallel()
	for _, f := range Fields("") {
		expect.That(t, f.Label != "" && (f.Help != "" || f.Name == FieldPrompt) && FieldNamed(f.Name) == f, f.Name, "lacks a part")
		if f.Name == FieldAsync {
			continue
		}
		kind := KindImage
		if !f.For(kind) {
			kind = KindVideo
		}
		r, want := Request{Kind: kind, Model: "a/b", Prompt: "p"}, []string{"7", "8"}
		expect.That(t, f.Set(&r, want...), f.Name, "does not take 7")
		if f.Max == 0 { // one alone
			want = want[:1]
		}
		again, err := ParseBody(kind, r.Body(Model{}))
		expect.That(t, err == nil && slices.Equal(f.Texts(&again), want), f.Name, "comes back as", f.Texts(&again), err)
		expect.That(t, f.Set(&r) && len(f.Texts(&r)) == 0, f.Name, "stays")
		own := Settings(kind)
		expect.That(t, len(own) > 0 && len(own) < len(Settings("")), kind, "has", len(own), "settings")
		expect.That(t, !slices.ContainsFunc(own, func(f *Field) bool { return !f.For(kind) }), kind, "has settings of another")
	}
	r := everyField()
	expect.Equal(t, strings.Join(r.Said(fmt.Sprintf), ", "), "seedance2, fast, 720p, 5 s, 16:9, seed -7")
	expect.All(t, "5 duration function-mode image-url", FieldNamed(FieldSeed).Said(fmt.Sprintf, "5", false),
		FieldNamed(FieldDuration).Flag(), FieldNamed(FieldFunctionMode).Flag(), FieldNamed(FieldImageURL).Flag())
	places := ""
	r.MapAddresses(func(place, address string) string { places += place + " "; return address + "#" })
	expect.Equal(t, places, "image_url end_image_url image_files.1 image_files.2 video_url video_files.1 audio_files.1 ")
	expect.All(t, "https://e.com/2# https://e.com/v# https://e.com/2", r.ImageFiles[1], r.VideoURL, everyField().ImageFiles[1])
	r.FunctionMode = ModeFirstLastFrame
	frames := r.Materials(MaterialImage)
	expect.That(t, len(frames) == 2 && frames[1] == r.EndImageURL, "the frames are", frames)
	expect.All(t, "true false true", r.Waits(), Request{}.Waits(), Request{NoAsync: true}.Waits())
}

// TestCodesOfProblemsStay lists the codes that --json prints: scripts know them.
func TestCodesOfProblemsStay(t *testing.T) {
	t.Parallel()
	const codes = `
		above_max agent_material audio_alone bad_text bad_token below_min empty_address first_frame first_last_frame_only
		fixed_resolution images_only impossible_pair model_form needs_image_model needs_video_model no_kind
		no_material no_model no_prompt no_such_material not_a_choice not_a_number not_listed not_positive not_utf8
		omini_only out_of_range required seedance2_only too_long too_many tool_no_arguments tool_not_an_object
		tool_required tool_schema tool_unknown_argument unknown_field url_form url_host url_local url_private url_scheme
		url_spaces url_user videos_only`
	expect.List(t, slices.Sorted(maps.Keys(problems)), strings.Fields(codes), "the codes")
}

func TestWhatAnswersMean(t *testing.T) {
	t.Parallel()
	for class, want := range map[StatusClass][2]bool{ // ended, unfinished
		StatusNone: {false, false}, StatusWaiting: {false, true}, StatusRunning: {false, true}, StatusUnlisted: {false, true},
		StatusSucceeded: {true, false}, StatusFailed: {true, true}, StatusCancelled: {true, true},
	} {
		a := (JobAnswer{ID: "1", Class: class})
		expect.That(t, a.Ended() == want[0] && a.Unfinished() == want[1], class, "ended", a.Ended(), "unfinished", a.Unfinished())
	}
	for id, want := range map[string]bool{
		"job_8": true, "JOB_7": false, "task-7": false, "7": false, "_8": false, "8_8": false, "0f8fad5b-d9cd-469f-a165-70867728950e": false, "alias_1": false,
	} {
		expect.Equal(t, (JobAnswer{ID: id, NamesJob: true}).OtherJob("job_7", "alias_1"), want, id, "another job than job_7")
	}
	one := JobAnswer{ID: "007", NamesJob: true} // numbers are told apart by their worth, and without doubt
	expect.All(t, "false true false", one.OtherJob("7"), one.OtherJob("8"), JobAnswer{ID: "8"}.OtherJob("7"))
	expect.That(t, (JobAnswer{ID: "1f8fad5b-d9cd-469f-a165-70867728950e", NamesJob: true}).OtherJob("2f8fad5b-d9cd-469f-a165-70867728950e"),
		"two UUIDs are one job")
	for id, form := range map[string]string{
		"": "0", "07": "0", "abc": "", "_8": "", "8_8": "", "j:1": "j", "Job-1_2": "Job", "1f8fad5b-d9cd-469f-a165-70867728950e": "-", "1f8fad5-b0d9cd-469f-a165-0867728950e1": "",
		"1f8fad5-bd9cd-469f-a165-0867728950e1": "", "1f8fad5b-9cd-469f-a165-70867728950e1": "", "1f8fad5b-9cd-469f-a165-70867728950e": "", "1f8fad5b-d9cd-469f-a16570867728950e1": "",
	} {
		expect.Equal(t, idForm(id), form, id, "has the form")
	}
	why := Sentence("%v credits").Reason(5)
	expect.That(t, (Reason{}).Stored() == "" && ParseReason(why.Stored(), "") == why && ParseReason("", "").IsZero(),
		"a stored reason comes back as", ParseReason(why.Stored(), ""))
	for stored, want := range map[string]string{"{}": "words", "words": "words", "100 %%": "words", `{"code":"x"}`: "words", Sentence("100 %%").Reason().Stored(): "100 %",
		Sentence(ReasonThen).Reason(Sentence("so.").Reason(), Sentence("do it.").Reason()).Stored(): "so; do it."} {
		expect.Equal(t, ParseReason(stored, "words").String(), want, stored, "says")
	}
	old := ParseReason(`{"code":"x"}`, `{"code":"x"}`).String()
	expect.That(t, strings.HasPrefix(old, "an earlier version"), old)
	ended, active := []Phase{PhaseDone, PhaseFailed, PhaseRejected, PhaseNotSent, PhaseExpired, PhaseStale},
		[]Phase{PhaseIntent, PhaseSending, PhaseQueued, PhaseRunning, PhaseFetching}
	for _, p := range slices.Concat(ended, active, []Phase{PhaseHeld, PhaseUnknown, PhaseUnread, "odd"}) {
		expect.That(t, p.Ended() == slices.Contains(ended, p) && p.Active() == slices.Contains(active, p) && p.Known() == (p != "odd"),
			p, "ended", p.Ended(), "active", p.Active(), "known", p.Known())
	}
	refusing := ""
	for status := range 600 {
		if ProvesRefusal(status) {
			refusing += fmt.Sprint(status, " ")
		}
	}
	expect.Equal(t, refusing, "400 401 402 403 404 405 413 414 415 422 ", "these prove a refusal")
	for path, good := range map[string]bool{strings.Repeat("a", 200): true, strings.Repeat("a", 201): false, "(root)": true, "data.tasks[0].id": true, "[0][1].id": true, "a..b": false,
		"a[x]": false, "": false, "a[0": false, "a[-1]": false, "a[0]b": false} {
		expect.Equal(t, CheckJobIDPath(path) == nil, good, path)
	}
}

func TestOwnAddressesOfALoopbackService(t *testing.T) {
	t.Parallel()
	for base, c := range map[string]struct{ good, bad []string }{
		"http://127.0.0.1:8080": {
			good: []string{"http://127.0.0.1:8080/files/a.png?signature=1", "HTTP://127.0.0.1:8080/a.png",
				"https://example.com/a.png"}, // public as ever
			bad: []string{"http://127.0.0.1:8081/a.png", "https://127.0.0.1:8080/a.png", "http://localhost:8080/a.png",
				"http://127.0.0.2:8080/a.png", "http://127.1:8080/a.png", "http://127。0。0。1:8080/a.png", "http://user@127.0.0.1:8080/a.png", "http://a.b。local/", "http://a.b｡local/",
				"http://127.0.0.1:8080@10.0.0.1/a.png", "http://10.0.0.1:8080/a.png"},
		},
		"http://127.0.0.1:8080/gateway": {good: []string{"http://127.0.0.1:8080/elsewhere"}},
		"http://localhost:80":           {good: []string{"http://localhost/a.png"}},
		"https://[::1]:443":             {good: []string{"https://[::1]/a.png"}},
		"": {
			good: []string{"http://8.8.8.8/", "https://a.example:65535/", "https://a.example:1/", "http://197.255.0.1/", "http://198.20.0.1/", "http://９.9.9.9/", "http://1.2.3.4.5.example/"},
			bad:  []string{"http://127.0.0.1:8080/a.png", "http://10.1/", "http://10.16777215/", "http://192.168.257/", "http://0x7f.1/", "http://a.0X7F/", "http://134744072/", "http://198.19.255.255/", "http://１０.0.0.1/"},
		},
		"https://api.example.com":   {bad: []string{"http://127.0.0.1:8080/a.png"}},
		"https://192.168.1.9":       {bad: []string{"http://192.168.1.9/a.png"}}, // private, but not this machine
		"https://10.0.0.1":          {bad: []string{"https://10.0.0.1/a.png"}},
		"https://printer.local":     {bad: []string{"https://printer.local/a.png", "https://Printer.LOCAL./a.png"}},
		"https://example.com":       {bad: []string{"https://LOCALHOST./a.png"}},
		"https://service.localhost": {bad: []string{"https://service.localhost/a.png"}},
	} {
		for i, address := range append(c.good, c.bad...) {
			for field, r := range map[string]Request{
				"image_url":   {Kind: KindImage, Model: "a/b", Prompt: "p", ImageURL: address},
				"image_files": {Kind: KindVideo, Model: Seedance2, Prompt: "p", ImageFiles: []string{address}},
			} {
				got := Check(r, Model{}, base)
				ok := len(got) == 0 && i < len(c.good) || len(got) > 0 && i >= len(c.good) && slices.Contains([]string{"url_private", "url_user"}, got[0].Code)
				expect.That(t, ok, field, address, "with a service at", base, got)
			}
		}
	}
}

// FuzzAddresses: no reference address that leads into this machine or network passes, whatever its spelling.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"https://example.com/a.png?b=c#d", "http://127.0.0.1/", "https://[::ffff:10.0.0.1]/x", "https://0x7f.1/",
		"https://2130706433/", "https://①②⑦.0.0.1/", "https://１２７。0。0。1/", "HTTPS://LOCALHOST./", "https://a.internal:99999/", "data:image/png;base64,AAAA",
		"file:///etc/passwd", "//host/x.mp4", "/files/a b.png", "../x.png", "https://u:p@h.example/", "https://[fe80::1%25eth0]/", "https://64:ff9b::7f00:1/", "http://\x00/",
		"https://h.example/%zz", "/9j/4AAQ", "https://h.example/?id=../..", "gs://a/b.png", "https://[2002:7f00:1::]/", "https://[64:ff9b::c612:1]/", "https://[2002:c612:1::]/", "https://198.18.0.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if code := checkAddress(s, ""); code == "" {
			u, err := url.Parse(s)
			expect.Must(t, err == nil && u.Host != "" && u.User == nil && !strings.ContainsAny(s, " \r\n\t\x00"), s, "passes", err)
			if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
				ip = ip.Unmap()
				expect.That(t, !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast() && !ip.IsUnspecified() && !ip.IsMulticast(),
					s, "passes, an address of this machine or network")
			}
		} else if _, known := problems[code]; !known {
			t.Errorf("%q is refused for %q, which is no code", s, code)
		}
	})
}

func TestLinkEnd(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)
	for address, want := range map[string]time.Time{
		"https://a.example/b.png": {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=300&X-Amz-Signature=1": at,
		"https://a.example/b.png?X-Goog-Date=20260301T140020Z&X-Goog-Expires=300":                 at,
		"https://a.example/b.png?Expires=1772373920&Signature=x":                                  at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z&sig=x":                                   at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z":                                         {},
		"https://a.example/b.png?expires=1772373920000&signature=x":                               at,
		"https://a.example/b.png?expires=177237392000":                                            {},
		"https://a.example/?expires=1000000000":                                                   time.Unix(1e9, 0), "https://a.example/?expires=9999999999": time.Unix(1e10-1, 0),
		"https://a.example/?expires=999999999": {}, "https://a.example/?expires=10000000000": {}, "https://a.example/?expires=999999999999": {},
		"https://a.example/?expires=1000000000000": time.Unix(1e9, 0), "https://a.example/?expires=10000000000000": {},
		"https://a.example/b.png?expires=3600":                                 {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=-1": {},
		"ht\x00tp://x?Expires=1772373920":                                      {},
	} {
		got := LinkEnd(address, time.Time{})
		expect.That(t, got.Equal(want), address, "expires", got, "want", want)
		expect.That(t, LinkEnd(address, at.Add(1)).Equal(cmp.Or(want, at.Add(1))), address, "does not expire as the service said")
	}
}

func TestReachOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Reach{
		"93.184.216.34": ReachPublic, "2606:2800:220:1::1": ReachPublic, "198.18.0.7": ReachPublic,
		"127.0.0.1": ReachLoopback, "127.9.9.9": ReachLoopback, "::1": ReachLoopback, "::ffff:127.0.0.1": ReachLoopback,
		"64:ff9b::7f00:1": ReachLoopback, "2002:7f00:1::": ReachLoopback, "::127.0.0.1": ReachLoopback,
		"10.0.0.1": ReachPrivate, "172.31.0.1": ReachPrivate, "192.168.1.1": ReachPrivate, "100.64.1.1": ReachPrivate,
		"169.254.1.1": ReachPrivate, "fe80::1%eth0": ReachPrivate, "fd12::1": ReachPrivate, "64:ff9b::a00:1": ReachPrivate,
		"0.0.0.0": ReachNever, "::": ReachNever, "224.0.0.1": ReachNever, "ff02::1": ReachNever, "255.255.255.255": ReachNever,
		"169.254.169.254": ReachNever, "::ffff:169.254.169.254": ReachNever, "100.100.100.200": ReachNever,
		"fd00:ec2::254": ReachNever, "64:ff9b::a9fe:a9fe": ReachNever, "2001::1": ReachNever, "192.0.2.1": ReachNever,
	} {
		expect.Equal(t, ReachOf(netip.MustParseAddr(address)), want, address)
	}
	for host, want := range map[string]bool{"localhost": true, "127.0.0.9": true, "::1": true, "::1%lo0": false, "127.1": false, "10.0.0.1": false} {
		expect.Equal(t, LoopbackHost(host), want, host, "this machine")
	}
}

var longHost, longPath = strings.Repeat("a.", 126) + "a", strings.Repeat("a", 2048-len("https://a.example/"))

func TestParseBase(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://api.example.com": "https://api.example.com", "  https://api.example.com/  ": "https://api.example.com",
		"HTTPS://API.Example.COM:443/v2//": "https://api.example.com/v2", "https://api.example.com:8443/a/b/": "https://api.example.com:8443/a/b",
		"https://api.example.com/api/v10": "https://api.example.com/api/v10", "https://gateway.example/api/v1/tenant": "https://gateway.example/api/v1/tenant",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
		"https://api.example.com/a%2Fb": "https://api.example.com/a%2Fb", "https://api.example.com:": "https://api.example.com",
		"https://10.0.0.7:1": "https://10.0.0.7:1", "https://a.example:65535": "https://a.example:65535", "https://" + longHost: "https://" + longHost,
		"https://a.example/" + longPath: "https://a.example/" + longPath, "https://10.0.0.7:9000": "https://10.0.0.7:9000", "http://localhost:80": "http://localhost",
		"http://LOCALHOST:8080": "http://localhost:8080", "http://127.0.0.1:8080/x": "http://127.0.0.1:8080/x",
		"http://127.9.9.9": "http://127.9.9.9", "http://[::1]:8080": "http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080": "http://[::1]:8080",
	} {
		u, err := ParseBase(in)
		expect.That(t, err == nil && u.String() == want, "ParseBase", in, u, err, "want", want)
	}
}

func TestParseBaseRefuses(t *testing.T) {
	t.Parallel()
	for want, texts := range map[Sentence][]string{
		"no address": {""},
		"begin with": {"api.example.com", "127.0.0.1:8080", "ftp://api.example.com", "file:///etc/passwd"},
		"plain http is": {"http://api.example.com", "http://localhost.example.com", "http://127.0.0.1.example.com", "http://127.1",
			"http://2130706433", "http://0.0.0.0", "http://192.168.1.1", "http://[fe80::1]"},
		"a user name":    {"https://me:pass@api.example.com", "https://ak_1@api.example.com"},
		"an API key":     {"https://api.example.com/ak_Aa1Bb2Cc3Dd4Ee5", "https://api.example.com/v1%2Fak_Aa1Bb2Cc3Dd4"},
		"a query (?)":    {"https://api.example.com?x=1", "https://api.example.com/?"},
		"a fragment (#)": {"https://api.example.com/#", "https://api.example.com/a#b"},
		whyBaseHost:      {"https://", "https://:443", "https://[::1%25lo0]:443", "https://a~.example", "https://a" + longHost},
		"outside a-z":    {"https://bücher.example", "https://аpi.example.com"}, // the first letter is Cyrillic
		"1 to 65535":     {"https://api.example.com:0", "https://api.example.com:65536"},
		". or .. steps": {"https://api.example.com/a/../b", "https://api.example.com/a/%2e%2e/b", "https://api.example.com/a//b",
			"https://api.example.com/%2F", "https://api.example.com/a%2F"},
		"end before /api/v1": {"https://api.example.com/api/v1", "https://api.example.com/x/api/v1/models"},
		whyBaseText:          {"https:api.example.com", "https://api.example.com/\x1b[31m", "https://a.example/" + longPath + "a"},
	} {
		for _, in := range texts {
			expect.Fails(t, expect.Err(ParseBase(in)), string(want), "ParseBase", in)
		}
	}
}

func FuzzParseBase(f *testing.F) {
	for _, s := range []string{
		"https://api.example.com/v1/", "http://127.0.0.1:8080", "http://[::1]", "https://a@b", "https://a:99999",
		"https://a/%2e%2e", "http://localhost:80//", "https://a?b#c", "https://[::ffff:127.0.0.1]:1", "http:///x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseBase(s)
		if err != nil {
			expect.Must(t, len(s) <= 12 || !strings.Contains(err.Error(), s), "the error repeats the text", err)
			return
		}
		expect.That(t, u.Scheme == "https" || u.Scheme == "http" && LoopbackHost(u.Hostname()), s, "plain", u)
		expect.Must(t, u.User == nil && u.RawQuery == "" && u.Fragment == "" && u.Host != "" && !strings.HasSuffix(u.String(), "/"),
			s, u, "holds what it must not")
		again, err := ParseBase(u.String())
		expect.That(t, err == nil && again.String() == u.String(), s, u, "became", again, err)
	})
}

// TestDaysMonthsAndSums, by which budgets count.
func TestDaysMonthsAndSums(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 17, 23, 59, 59, 1, time.FixedZone("x", 3600))
	day, month := Day.Begin(at).Format(time.RFC3339Nano), Month.Begin(at).Format(time.RFC3339Nano)
	expect.All(t, "2026-03-17T00:00:00+01:00 2026-03-01T00:00:00+01:00", day, month)
	for _, zone := range []string{"America/Santiago 2026-09-06", "America/Havana 2026-03-08", "Africa/Cairo 2026-04-24", "Asia/Beirut 2026-03-29"} { // without a first hour
		name, day, _ := strings.Cut(zone, " ")
		in, err := time.LoadLocation(name)
		noon, bad := time.ParseInLocation(time.DateTime, day+" 12:00:00", in)
		begin := Day.Begin(noon)
		expect.That(t, err == nil && bad == nil && begin.Format(time.DateTime) == day+" 01:00:00", zone, "begins at", begin, err, bad)
	}
	for more, sum := range map[Credits]Credits{0: MaxCredits - 2, 2: MaxCredits, 3: MaxCredits, MaxCredits: MaxCredits} {
		expect.Equal(t, (MaxCredits - 2).Plus(more), sum, more)
	}
}

// TestWhyThereIsNoConnection is told without an address.
func TestWhyThereIsNoConnection(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		says string
	}{{&net.DNSError{IsNotFound: true}, "no such host name"}, {&net.DNSError{}, "its name cannot be looked up"}, {syscall.ECONNREFUSED, "connection refused"}, {syscall.Errno(10061), "connection refused"},
		{syscall.EPIPE, "the connection was reset"}, {syscall.Errno(10054), "the connection was reset"}, {syscall.EHOSTUNREACH, "no way to the network"}, {syscall.Errno(10065), "no way to the network"}, {io.ErrUnexpectedEOF, "the connection was closed before the response was complete"},
		{errors.New("http2: Transport received Server's graceful shutdown GOAWAY"), "the connection was closed before the response was complete"},
		{tls.RecordHeaderError{}, "it does not speak TLS"}, {&tls.CertificateVerificationError{}, "its certificate cannot be trusted"},
		{os.ErrDeadlineExceeded, "it did not answer in time"}, {errors.New("remote error: tls: " + longHost), "TLS failed: " + Clean(longHost, 200).String()}, {errors.New("x"), ""},
		{&net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, "the proxy that HTTPS_PROXY names does not work (connection refused)"}} {
		expect.Equal(t, ConnectionReason(fmt.Errorf("dial: %w", row.err)).String(), row.says, row.err)
	}
}

// TestNextGoesOn from a frame, in the tier of the same model, without a prompt that names what it does not have.
func TestNextGoesOn(t *testing.T) {
	t.Parallel()
	for prompt, kept := range map[string]string{"a boat": "a boat", "【@图片1】 sails": ""} {
		for model, tier := range map[string]string{Seedance2: "fast", "acme/film": ""} {
			next := Request{Model: model, Prompt: prompt, VideoModel: "fast", Resolution: "720p", Duration: "5"}.Next("https://a.test/1.png")
			expect.That(t, next.Prompt == kept && next.VideoModel == tier && (next.Resolution == "") == (tier == "") && next.Duration == "5" &&
				next.Model == Seedance2, prompt, "by", model, "goes on as", next)
		}
	}
}

// TestNear: what takes the fewest changes is meant, or what has a part in common; a swap of neighbours is one change.
func TestNear(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"budget": "budget", "bugdet": "budget", "ubdget": "budget", "bbudget": "budget", "BUDGE": "budget", "bgduet": "budget", "tebdug": "",
		"theme": "Theme", "heme": "Theme themes", "url": "base_url", "rl": "", "my_base_url_of": "base_url", "uplaods": "upload", "x": "", "": "",
	} {
		expect.Equal(t, strings.Join(Near(given, []string{"budget", "base_url", "Theme", "themes", "upload"}), " "), want, given, "near")
	}
}
