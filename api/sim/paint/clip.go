package paint

import (
	"cmp"
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
// is, and of a variant that the input's hash chooses.
func (in Input) clip() Media {
	size := clipSizes[cmp.Or(in.Ratio, "16:9")]
	seconds := 5
	if in.Seconds > 7 {
		seconds = 10
	}
	variant := size.variants[in.Hash("clip")%uint64(len(size.variants))]
	poster := fmt.Sprintf("%dx%d", size.width, size.height)
	return Media{
		Name: "video.mp4", Type: "video/mp4", Width: size.width, Height: size.height, Seconds: seconds,
		clip: fmt.Sprintf("%s-%d-%c.mp4", poster, seconds, variant), poster: fmt.Sprintf("%s-%c.jpg", poster, variant),
	}
}

// Poster is the JPEG that stands for a clip.
func (m Media) Poster() []byte { return embedded(m.poster) }

// embedded is an embedded file.
func embedded(name string) []byte {
	b, err := clips.ReadFile("clips/" + name)
	if err != nil {
		panic(err) // the table above and the folder differ: a test sees it
	}
	return b
}
