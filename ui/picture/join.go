package picture

import (
	"context"
	"fmt"
	"strings"

	"darkroom/api"
)

var errJoin = api.Sentence("ffmpeg could not join these videos").Fault(nil)

// Join writes videos behind each other into a file, as an MP4, and gives their length. They stay
// as they are if they agree in codec, size, rate and audio; else anew is called, and they are
// encoded in the size and at the rate of the first.
func (l *Loader) Join(ctx context.Context, paths []string, to string, anew func()) (seconds float64, err error) {
	if !Frames() {
		return 0, ErrNoProgram
	}
	var args []string
	var list, filter, joined strings.Builder
	first, streams, alike, unheard := facts{}, "", true, ";[a]anullsink"
	for i, path := range paths {
		format, video, err := l.measure(ctx, path)
		var said []byte
		if err == nil {
			said, err = l.output(ctx, "ffprobe", posterLimit, path, format, "-show_data_hash", "MD5", "-of", "compact", "-show_entries",
				"stream=codec_type,codec_name,width,height,pix_fmt,r_frame_rate,time_base,sample_rate,channels,extradata_hash")
		}
		if err != nil {
			return 0, err
		}
		if i == 0 {
			first, streams = video, string(said)
		}
		alike = alike && streams == string(said)
		seconds += video.seconds
		args = append(args, input(path, format)...)
		fmt.Fprintf(&list, "file 'file:%s'\n", strings.ReplaceAll(path, "'", `'\''`))
		fmt.Fprintf(&filter, "[%d:v:0]scale=%d:%d:force_original_aspect_ratio=decrease,pad=%[2]d:%[3]d:-1:-1,"+
			"setsar=1,fps=%.3[4]f,format=yuv420p[v%[1]d];", i, first.width&^1, first.height&^1, 1/first.each.Seconds())
		sound := "anullsrc"
		if strings.Contains(string(said), "codec_type=audio") {
			sound, unheard = fmt.Sprintf("[%d:a:0]apad", i), ""
		}
		fmt.Fprintf(&filter, "%s,aformat=sample_rates=48000:channel_layouts=stereo,atrim=duration=%.3f[a%d];", sound, video.seconds, i)
		fmt.Fprintf(&joined, "[v%d][a%[1]d]", i)
	}
	if alike {
		args = []string{"-protocol_whitelist", "file,pipe", "-format_whitelist", "concat,mov,matroska", "-f", "concat", "-safe", "0",
			"-i", "pipe:0", "-map", "0:v:0", "-map", "0:a:0?", "-c", "copy"}
	} else {
		anew()
		fmt.Fprintf(&filter, "%sconcat=n=%d:v=1:a=1[v][a]%s", &joined, len(paths), unheard)
		args = append(args, "-filter_complex", filter.String(), "-map", "[v]", "-c:v", "libx264", "-crf", "17", "-threads", "2")
		if unheard == "" {
			args = append(args, "-map", "[a]")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	cmd, err := l.command(ctx, "ffmpeg", joinLimit, append(args, "-nostdin", "-movflags", "+faststart", "-f", "mp4", "-y", "file:"+to))
	if err != nil {
		return 0, err
	}
	cmd.Stdin = strings.NewReader(list.String())
	if cmd.Run() != nil {
		return 0, errJoin
	}
	return seconds, nil
}
