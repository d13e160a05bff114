package sim

import (
	"embed"
	"fmt"
)

//go:embed clips/*.mp4 clips/*.jpg
var clips embed.FS

// clipSizes are the sizes of the embedded clips by ratio, and how many
// variants there are of each (clips/make.sh).
var clipSizes = map[string]struct {
	width, height int
	variants      string
}{
	"16:9": {640, 360, "ab"}, "9:16": {360, 640, "ab"}, "1:1": {480, 480, "a"}, "4:3": {480, 360, "a"},
}

// clip picks the clip for a video: of its ratio, of the nearest length there
// is, and of a variant that prompt and seed choose.
func (o *order) clip() shape {
	size := clipSizes[fallback(o.ratio, videoRatios[0])]
	seconds := 5
	if o.seconds > 7 {
		seconds = 10
	}
	variant := size.variants[o.hash("clip")%uint64(len(size.variants))]
	poster := fmt.Sprintf("%dx%d", size.width, size.height)
	return shape{
		name: "video.mp4", mediaType: "video/mp4", width: size.width, height: size.height, seconds: seconds,
		clip: fmt.Sprintf("%s-%d-%c", poster, seconds, variant), poster: fmt.Sprintf("%s-%c", poster, variant),
	}
}

// clipData is an embedded file.
func clipData(name string) []byte {
	b, err := clips.ReadFile("clips/" + name)
	if err != nil {
		panic(err) // the table above and the folder differ: a test sees it
	}
	return b
}
