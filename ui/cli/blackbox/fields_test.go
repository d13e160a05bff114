//go:build linux

package blackbox

import (
	"testing"

	"darkroom/api/sim/simtest"
)

// What a 400 or 422 says of single fields stands beside them when the form
// comes back, in whatever shape it was told.
func TestRefusedFieldsComeBack(t *testing.T) {
	t.Parallel()
	shapes := []struct {
		status int
		body   string
		says   string
	}{
		{422, `{"detail":[{"loc":["body","prompt"],"msg":"names a living person","type":"value_error"}]}`, "names a living person"},
		{422, `{"message":"The given data was invalid.","errors":{"prompt":["names a living person"]}}`, "names a living person"},
		{400, `{"error":{"message":"the prompt names a living person","type":"invalid_request_error","param":"prompt"}}`, "the prompt names a living person"},
		{400, `{"code":"PARAM_ERROR","message":"not offered today","field":"aspectRatio"}`, "not offered today"},
		{400, `{"error":"bad","issues":[{"path":["image_url"],"message":"cannot be reached"}]}`, "Image: cannot be reached"}, // a row of the list of materials,
		{400, `{"code":400,"msg":"提示词含有真人姓名"}`, "提示词含有真人姓名"},
		{200, `{"success":false,"code":400,"message":"invalid","errors":[{"field":"prompt","message":"names a living person"}]}`, "names a living person"},
	}
	for _, c := range shapes {
		f := status(c.status, c.body)
		if c.status == 200 {
			f = told(c.body)
		}
		f.Endpoint = "create"
		service := startService(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{f}})
		h := newHome(t, service.URL())
		j := document[job](t, h.run("image", "a pier", "--aspect-ratio", "1:1", "--image-url", "https://in.example.com/i.png", "--yes", "--json").wantCode(t, 1))
		if j.Phase != "rejected" {
			t.Errorf("%s: phase %s", c.body, j.Phase)
			continue
		}
		s := h.open(120, 40)
		s.waitFor("Create")
		s.keys("\x1b2") // alt+2: Jobs
		s.waitFor("all 1", "lumen/still-1 · 1:1")
		s.keys("e")
		s.waitFor("The service: "+c.says, "Before you send")
		s.keys("\x11") // ctrl+q
		s.end()
		if n := creates(service); n != 1 {
			t.Errorf("%s: %d creates", c.body, n)
		}
	}
	t.Logf("%d shapes of a refusal, each beside its field in the form", len(shapes))
}
