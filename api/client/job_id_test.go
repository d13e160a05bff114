package client

import (
	"net/http"
	"testing"
	"time"

	"darkroom/api"
)

func TestJobIDAtAPathSetByHand(t *testing.T) {
	t.Parallel()
	body := `{"request_id":"r1","data":{"tasks":[{"no":[7,8]},{"ref":"t-2"}]},"id":"wrong-1","n":1.5}`
	for _, c := range []struct{ path, want string }{
		{"data.tasks[1].ref", "t-2"}, {"data.tasks[0].no[1]", "8"}, {"request_id", "r1"},
		{"data.tasks[9].ref", "wrong-1"}, {"data.nothing", "wrong-1"}, {"n", "wrong-1"}, {"data", "wrong-1"}, {"data..x", "wrong-1"},
	} {
		trip := Trip{Host: "h", Status: http.StatusOK, Connected: true, Body: []byte(body),
			Header: http.Header{"Content-Type": {"application/json"}}}
		o := atJobID(Classify(trip, api.KindImage, time.Now()), trip, c.path)
		if o.Phase != api.PhaseQueued || o.Answer.ID != c.want {
			t.Errorf("%s: %s %q, want %q", c.path, o.Phase, o.Answer.ID, c.want)
		}
	}
	refused := Trip{Host: "h", Status: http.StatusBadRequest, Connected: true, Body: []byte(body)}
	if o := atJobID(Classify(refused, api.KindImage, time.Now()), refused, "id"); o.Phase != api.PhaseRejected {
		t.Errorf("a refusal became %s", o.Phase)
	}
	for path, fine := range map[string]bool{
		"a.b": true, "a[0].b": true, "(root)": true, "[0].id": true, "a[0][1]": true,
		"a..b": false, "": false, "a[x]": false, "a[0": false, "a[-1]": false, "a[0]b": false,
	} {
		if err := api.CheckJobIDPath(path); (err == nil) != fine {
			t.Errorf("%q: %v", path, err)
		}
	}
}
