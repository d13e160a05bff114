package sim_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// The tests of this file know the specification only: what they expect is typed from its text and not taken from the
// code, which forms, commands and this server share. A rule that is wrong there is wrong in all of them.

// specCase is a body in the specification's own words, and whether the text allows it.
type specCase struct {
	name    string
	body    map[string]any
	allowed bool
}

// aVideo is a request for seedance2 with more fields.
func aVideo(fields ...any) map[string]any {
	body := map[string]any{"model": "seedance2", "prompt": "a boat", "duration": 5, "async": true}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i].(string)] = fields[i+1]
	}
	return body
}

func links(n int, end string) []string {
	all := []string{}
	for i := range n {
		all = append(all, fmt.Sprintf("https://in.example.com/%d.%s", i+1, end))
	}
	return all
}

// materialCases are every count of materials around the limits, in every mode. "image_files takes up to 9 image URLs,
// video_files up to 3 video URLs, audio_files up to 3 audio URLs"; "When functionMode is omitted, it is omini";
// "audio_files must be combined with images or videos"; in first_last_frame "image_url is the first frame and
// end_image_url is the last frame".
func materialCases() (all []specCase) {
	for images := range 12 {
		for videos := range 6 {
			for audios := range 6 {
				within := images <= 9 && videos <= 3 && audios <= 3
				accompanied := audios == 0 || images > 0 || videos > 0
				for _, mode := range []string{"", "omini", "first_last_frame"} {
					body := aVideo()
					for name, list := range map[string][]string{"image_files": links(images, "png"), "video_files": links(videos, "mp4"), "audio_files": links(audios, "mp3")} {
						if len(list) > 0 {
							body[name] = list
						}
					}
					allowed := within && accompanied
					if mode != "" {
						body["functionMode"] = mode
					}
					if mode == "first_last_frame" {
						body["image_url"], allowed = "https://in.example.com/first.png", images+videos+audios == 0
					}
					all = append(all, specCase{fmt.Sprintf("%d images, %d videos, %d audios, mode %q", images, videos, audios, mode), body, allowed})
				}
			}
		}
	}
	const first, last, clip = "https://in.example.com/a.png", "https://in.example.com/z.png", "https://in.example.com/a.mp4"
	return append(all,
		specCase{"image-to-video", aVideo("image_url", first), true},
		specCase{"one reference video", aVideo("video_url", clip), true},
		specCase{"audio with image_url", aVideo("image_url", first, "audio_files", links(3, "mp3")), true},
		specCase{"audio with video_url", aVideo("video_url", clip, "audio_files", links(1, "mp3")), true},
		specCase{"first frame alone", aVideo("functionMode", "first_last_frame", "image_url", first), true},
		specCase{"first and last frame", aVideo("functionMode", "first_last_frame", "image_url", first, "end_image_url", last), true},
		specCase{"last frame without a first", aVideo("functionMode", "first_last_frame", "end_image_url", last), false},
		specCase{"a last frame in omini", aVideo("functionMode", "omini", "image_url", first, "end_image_url", last), false},
		specCase{"a last frame in the default mode", aVideo("image_url", first, "end_image_url", last), false},
		specCase{"audio in first_last_frame", aVideo("functionMode", "first_last_frame", "image_url", first, "audio_files", links(1, "mp3")), false},
		specCase{"functionMode omni", aVideo("functionMode", "omni"), false},
		specCase{"functionMode Omini", aVideo("functionMode", "Omini"), false},
		specCase{"the first image", aVideo("prompt", "【@图片1】 sails", "image_files", links(1, "png")), true},
		specCase{"the ninth image and the third audio", aVideo("prompt", "【@图片9】【@音频3】", "image_files", links(9, "png"), "audio_files", links(3, "mp3")), true},
		specCase{"a second image of one", aVideo("prompt", "【@图片2】 sails", "image_files", links(1, "png")), false},
		specCase{"an audio where none is", aVideo("prompt", "【@音频1】 plays", "image_files", links(1, "png")), false},
		specCase{"a file of this machine", aVideo("image_url", "file:///home/me/a.png"), false},
		specCase{"a private address", aVideo("image_files", []string{"https://192.168.1.2/a.png"}), false},
		specCase{"a path", aVideo("video_files", []string{"clips/a.mp4"}), false},
		specCase{"ftp", aVideo("image_url", "ftp://in.example.com/a.png"), false},
		specCase{"an empty address among others", aVideo("image_files", []string{first, ""}), false},
	)
}

// promptCases are "1 to 5000 characters", whatever their width in bytes.
func promptCases() (all []specCase) {
	for _, sign := range []string{"a", "é", "船", "🚣"} {
		for n, allowed := range map[int]bool{0: false, 1: true, 4999: true, 5000: true, 5001: false, 10000: false} {
			prompt := strings.Repeat(sign, n)
			image := map[string]any{"model": sim.StillModel, "prompt": prompt, "async": true}
			all = append(all, specCase{fmt.Sprintf("image, %d of %s", n, sign), image, allowed}, specCase{fmt.Sprintf("video, %d of %s", n, sign), aVideo("prompt", prompt), allowed})
		}
	}
	return all
}

// specRates is the table of credits per second, 0 where it says unavailable.
var specRates = map[string]map[string]int{
	"fast":         {"480p": 0, "720p": 85, "1080p": 0},
	"standard":     {"480p": 0, "720p": 85, "1080p": 0},
	"fast_vip":     {"480p": 50, "720p": 100, "1080p": 0},
	"standard_vip": {"480p": 85, "720p": 100, "1080p": 200},
}

// choiceCases are the fields with fixed values, and fields of the other kind.
func choiceCases() (all []specCase) {
	for tier, row := range specRates {
		for resolution, rate := range row {
			all = append(all, specCase{tier + " at " + resolution, aVideo("video_model", tier, "resolution", resolution), rate > 0})
		}
		for _, resolution := range []string{"2160p", "4K", "720", "720P"} {
			all = append(all, specCase{tier + " at " + resolution, aVideo("video_model", tier, "resolution", resolution), false})
		}
	}
	anImage := func(name string, value any) map[string]any {
		return map[string]any{"model": sim.StillModel, "prompt": "a boat", "async": true, name: value}
	}
	for quality, allowed := range map[string]bool{"low": true, "medium": true, "high": true, "ultra": false, "LOW": false} {
		all = append(all, specCase{"quality " + quality, anImage("quality", quality), allowed})
	}
	return append(all,
		specCase{"video_model slow", aVideo("video_model", "slow"), false},
		specCase{"video_model fast-vip", aVideo("video_model", "fast-vip"), false},
		specCase{"image from an image", anImage("image_url", "https://in.example.com/a.png"), true},
		specCase{"an image with image_files", anImage("image_files", links(1, "png")), false},
		specCase{"an image with a duration", anImage("duration", 5), false},
		specCase{"an image with a seed", anImage("seed", 7), false},
		specCase{"an image with a mode", anImage("functionMode", "omini"), false},
		specCase{"an image with a tier", anImage("video_model", "fast"), false},
		specCase{"a seed", aVideo("seed", 7), true},
		specCase{"half a seed", aVideo("seed", 7.5), false},
		specCase{"the ratio by its other name", aVideo("aspect_ratio", "9:16"), true},
		specCase{"a duration as text", aVideo("duration", "5"), true},
	)
}

// TestWhatTheSpecificationAllows: client and server take exactly that.
func TestWhatTheSpecificationAllows(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	cases := append(append(materialCases(), promptCases()...), choiceCases()...)
	allowed := 0
	for _, c := range cases {
		kind, path := api.KindVideo, "/api/v1/videos/generations"
		if c.body["model"] == sim.StillModel {
			kind, path = api.KindImage, "/api/v1/images/generations"
		}
		text := simtest.Must(json.Marshal(c.body))(t)
		r, err := api.ParseBody(kind, text)
		expect.Equal(t, err == nil && len(api.Check(r, api.Model{}, s.URL())) == 0, c.allowed, c.name, "the client allows it")
		a := s.Ask(t, "POST", path, string(text))
		expect.That(t, a.Err == nil && (a.StatusCode == 200) == c.allowed, c.name, "the server answers", a.StatusCode, string(a.Body))
		if c.allowed {
			allowed++
		}
	}
	expect.That(t, len(cases) >= 1300 && allowed >= 180, len(cases), "cases, of which", allowed, "are allowed")
}

// TestPricesOfTheSpecification: client and server reckon with its table.
func TestPricesOfTheSpecification(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	for tier, row := range specRates {
		for resolution, rate := range row {
			for seconds := 4; seconds <= 12; seconds++ {
				query := url.Values{"model": {"seedance2"}, "video_model": {tier}, "resolution": {resolution}, "duration": {fmt.Sprint(seconds)}}
				a := s.Ask(t, "GET", "/api/v1/pricing/estimate?"+query.Encode(), "")
				if rate == 0 {
					expect.That(t, a.StatusCode >= 400, tier, "at", resolution, "has a price", string(a.Body))
					continue
				}
				want := api.Credits(seconds*rate) * api.Credit
				e := api.TableEstimate(api.Request{Kind: api.KindVideo, Model: "seedance2", VideoModel: tier, Resolution: resolution, Duration: fmt.Sprint(seconds)})
				expect.That(t, e.Credits == want && a.At(t, "estimated_credits") == float64(seconds*rate),
					tier, "at", resolution, "for", seconds, "s", e.Credits, string(a.Body), "want", want)
			}
		}
	}
}
