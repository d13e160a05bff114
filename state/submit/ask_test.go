package submit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// TestWhatAnAgentAsksFor waits for a person or stands in its turn, as far as the
// settings grant it. An intent is the same requests for ever.
func TestWhatAnAgentAsksFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const credit = api.Credit
		f := &fakeService{price: func() (api.Estimate, error) {
			return api.Estimate{Credits: 10 * credit, Source: api.SourceService}, nil
		}}
		s := openWindow(t, f, func(set *settings.Settings) {
			set.Agents = map[string]settings.Agent{"any": {PerJob: 10 * credit, PerDay: 10 * credit}, "no day": {PerJob: 10 * credit}, "no job": {PerDay: 30 * credit}}
		})
		ask := func(entry, intent string, prompts ...string) ([]store.Held, error) {
			var list []api.Request
			for _, prompt := range prompts {
				list = append(list, image("of "+prompt, 0).Request)
			}
			ids, err := s.Ask(t.Context(), &store.Ask{Entry: entry, Intent: intent, MaxCredits: 20 * credit}, list)
			if err != nil {
				return nil, err
			}
			held := must(s.file.HeldOf(t.Context(), ids[0]))(t)
			held = slices.DeleteFunc(held, func(h store.Held) bool { return !slices.Contains(ids, h.ID) })
			if len(held) != len(ids) || len(ids) != len(list) {
				t.Errorf("%s: %q are held as %+v", entry, ids, held)
			}
			return held, nil
		}
		for entry, code := range map[string]string{"any": "", "no day": "not_granted", "no job": "not_granted", "": "not_granted"} {
			one := must(ask(entry, "one", entry))(t)[0]
			owner := map[bool]string{true: "me"}[code == ""]
			if told := s.toldOf(one.ID); one.Code != code || one.Owner != owner || one.Granted != (code == "") || one.Label != "" || one.MaxCredits != 20*credit || len(told) != 1 {
				t.Errorf("%q: held for %q as %q, told of %v", entry, one.Owner, one.Code, told)
			}
		}
		two := must(ask("any", "two", "x", "y"))(t)
		if two[0].Label != "#1" || two[1].Label != "#2" || two[0].Code != "over_day" {
			t.Errorf("%q and %q wait as %q", two[0].Label, two[1].Label, two[0].Code)
		}
		_, err := ask("any", "two", "x", "z")
		refusedFor(t, err, "intent")
		bad := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x", ImageURL: "/etc/passwd"}
		_, err = s.Ask(t.Context(), &store.Ask{Entry: "any", Intent: "bad"}, []api.Request{bad})
		if r := refusedFor(t, err, "problems"); r.Problems[0].Field != api.FieldImageURL {
			t.Errorf("%v", r.Problems)
		}
		s.Close(context.Background()) // what is known is told for ever, and nothing else is recorded
		must(ask("any", "one", "any"))(t)
		if again := must(ask("any", "two", "x", "y"))(t); again[0].ID != two[0].ID || again[1].ID != two[1].ID {
			t.Errorf("the same intent is %+v", again)
		}
		_, err = ask("any", "late", "x")
		refusedFor(t, err, "store")
	})
}

// TestMaterialsOfAnAgent are results of ours, as their addresses, or addresses; each
// problem names its place.
func TestMaterialsOfAnAgent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome {
			out := queued("r1")
			out.Phase, out.Answer.Results = api.PhaseFetching, []api.Result{{URL: "https://cdn.test/1.png"}, {Data: []byte("png")}, {URL: "https://cdn.test/3.png"}}
			return out
		}}
		s := openWindow(t, f)
		j := must(s.Submit(t.Context(), image("x", 0)))(t)
		must(s.Sent(t.Context(), j.ID))(t)
		epoch := must(s.file.Claim(t.Context(), j.ID, "me", time.Now(), time.Minute))(t)
		noError(t, s.file.SaveFile(t.Context(), j.ID, epoch, 3, store.File{Path: "/x", URL: "https://cdn.test/3.png"})) // the only one so far
		for name, want := range map[string]string{
			"https://a.test/2.png": "https://a.test/2.png", "/etc/passwd": "agent_material", "http://a.test/2.png": "agent_material",
			"job:" + j.ID + "/1": "https://cdn.test/1.png", "job:" + j.ID + "/3": "https://cdn.test/3.png",
			"job:" + j.ID + "/0": "agent_material", "job:" + j.ID + "/4": "agent_material", "job:" + j.ID: "agent_material", "job:nobody/1": "agent_material",
			"job:" + j.ID + "/2": "agent_material", // it came in the answer itself, and has no address
		} {
			r := confirm("x").Request
			if r.ImageFiles = []string{"https://a.test/1.png", name}; strings.HasPrefix(want, "https:") {
				r.VideoURL = name
			}
			asked := slices.Clone(r.ImageFiles)
			got, err := s.Examine(t.Context(), r)
			if !slices.Equal(r.ImageFiles, asked) {
				t.Errorf("%s: the request that was asked for has %q", name, r.ImageFiles)
			}
			if err == nil {
				if got.ImageFiles[0] != asked[0] || got.ImageFiles[1] != want || got.VideoURL != want {
					t.Errorf("%s is %q and %q, want %q", name, got.ImageFiles, got.VideoURL, want)
				}
				continue
			}
			r1 := refusedFor(t, err, "problems")
			if said, all := fmt.Sprint(r1.Problems), "[image_files.2: "+want+"]"; said != all || r1.Error() != whyProblems.Reason(r1.Problems[0]).String() {
				t.Errorf("%s: %s, want %s", name, said, all)
			}
		}
	})
}
