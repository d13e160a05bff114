package sim

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	s := start(t, Options{Key: testKey, LongSide: 32})
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
			Endpoint: s.URL() + pathTools, HTTPClient: &http.Client{Transport: keyed{key}}, DisableStandaloneSSE: true,
		}, nil)
	}
	if cs, err := connect("ak_other"); err == nil {
		cs.Close()
		t.Error("another key was let in")
	}
	cs, err := connect(testKey)
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
	call := func(name string, args object) (object, bool) {
		p := &mcp.CallToolParams{Name: name, Arguments: args}
		p.SetProgressToken("p")
		r, err := cs.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := r.StructuredContent.(map[string]any)
		return v, r.IsError
	}
	if got, _ := call("estimate_price", object{"model": StillModel}); got["estimated_credits"] != 12.5 {
		t.Errorf("%v", got)
	}
	if _, failed := call("generate_image", object{"prompt": " "}); !failed {
		t.Error("an empty prompt was taken")
	}
	image, _ := call("generate_image", object{"prompt": "a kettle"})
	if got, failed := call("get_job", object{"id": image["id"]}); failed || got["id"] != image["id"] {
		t.Errorf("%v", got)
	}
	if got, _ := call("generate_video", object{"prompt": "waves", "duration": 4}); got["status"] != Completed {
		t.Errorf("%v", got)
	}
	if l := s.Ledger(); len(l) != 2 || fmt.Sprint(l[1].Credits) != "340" {
		t.Errorf("%+v", l)
	}
	<-told
}
