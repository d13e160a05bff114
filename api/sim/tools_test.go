package sim_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
)

// keyed signs every call.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func TestToolEntry(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Key: simtest.Key, LongSide: 32})
	told := make(chan struct{}, 1) // the answer of a call may be read before the progress in it was handled
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			select {
			case told <- struct{}{}:
			default:
			}
		},
	})
	connect := func(key string) (*mcp.ClientSession, error) {
		return client.Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: s.URL() + "/api/v1/mcp", HTTPClient: &http.Client{Transport: keyed{key}}, DisableStandaloneSSE: true,
		}, nil)
	}
	if cs, err := connect("ak_other"); err == nil {
		cs.Close()
		t.Error("another key was let in")
	}
	cs, err := connect(simtest.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	var names []string
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "estimate_price generate_image generate_video get_job list_models sample_picture wait_for_job" {
		t.Errorf("tools: %s", got)
	}
	call := func(name string, args map[string]any) (map[string]any, bool) {
		p := &mcp.CallToolParams{Name: name, Arguments: args}
		p.SetProgressToken("p")
		r, err := cs.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := r.StructuredContent.(map[string]any)
		return v, r.IsError
	}
	if got, _ := call("estimate_price", map[string]any{"model": sim.StillModel}); got["estimated_credits"] != 12.5 {
		t.Errorf("%v", got)
	}
	if _, failed := call("generate_image", map[string]any{"prompt": " "}); !failed {
		t.Error("an empty prompt was taken")
	}
	image, _ := call("generate_image", map[string]any{"prompt": "a kettle"})
	if got, failed := call("get_job", map[string]any{"id": image["id"]}); failed || got["id"] != image["id"] {
		t.Errorf("%v", got)
	}
	if got, _ := call("generate_video", map[string]any{"prompt": "waves", "duration": 4}); got["status"] != sim.Completed {
		t.Errorf("%v", got)
	}
	if l := s.Ledger(); len(l) != 2 || fmt.Sprint(l[1].Credits) != "340" {
		t.Errorf("%+v", l)
	}
	<-told
}
