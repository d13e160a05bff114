package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// A result of this service can be the reference of another request to it; no
// other address of this machine or network can.
func TestOwnResultsAreReferences(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/gateway"} {
		s := simtest.Run(t, simtest.Options{Prefix: prefix, LongSide: 32})
		other := simtest.Run(t, simtest.Options{LongSide: 32})
		image := `{"model":"lumen/still-1","prompt":"x"}`
		own := s.Ask(t, "POST", simtest.PathImages, image).Text(t, "job.result.images.0.url")
		foreign := other.Ask(t, "POST", simtest.PathImages, image).Text(t, "job.result.images.0.url")
		if own == "" || foreign == "" {
			t.Fatal("no results to refer to")
		}
		host := strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), prefix)
		for address, want := range map[string]int{
			own: 200, foreign: 422, "https://example.com/a.png": 200, "http://10.0.0.1/a.png": 422, "http://127.0.0.1/a.png": 422,
			strings.Replace(own, "127.0.0.1", "localhost", 1): 422, strings.Replace(own, "http:", "https:", 1): 422,
			"http://user@" + host + "/a.png": 422, "http://" + host + "@10.0.0.1/": 422,
		} {
			for path, body := range map[string]string{
				simtest.PathImages: `{"model":"lumen/still-1","prompt":"x","image_url":%q,"async":true}`,
				simtest.PathVideos: `{"model":"seedance2","prompt":"x【@图片1】","image_files":[%q],"async":true}`,
			} {
				if r := s.Ask(t, "POST", path, fmt.Sprintf(body, address)); r.StatusCode != want {
					t.Errorf("%s with %s: %d %s", path, address, r.StatusCode, r.Body)
				}
			}
		}
	}
}
