package picture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// Limits of a run of ffmpeg.
const (
	posterLimit = 10 * time.Second
	sheetLimit  = 20 * time.Second
	playRate    = 10
	playLimit   = 10 * time.Minute
	joinLimit   = time.Hour
	playIdle    = 5 * time.Second // without a frame being asked for
	maxOutput   = 32 << 20        // bytes of a picture
	codecMemory = 256 << 20       // bytes of one allocation of ffmpeg
	videoMemory = 2 << 20         // KiB of ffmpeg's address space
)

// Frames reports whether frames of videos can be drawn.
func Frames() bool {
	_, err := exec.LookPath("ffmpeg")
	return err == nil
}

// Frames reports the same of a loader.
func (*Loader) Frames() bool { return Frames() }

// program prepares a run of ffmpeg or ffprobe over one local file, which is all
// that it may read. It gets no input and prints no progress.
func (l *Loader) program(ctx context.Context, name string, limit time.Duration, path, format string, options ...string) (*exec.Cmd, error) {
	args := input(path, format)
	if name == "ffmpeg" {
		args = append(args, "-nostdin", "-map", "0:v:0", "-an", "-sn", "-dn", "-threads", "1")
	}
	return l.command(ctx, name, limit, append(args, options...))
}

// input has a program read one local file and no other.
func input(path, format string) []string {
	args := []string{"-protocol_whitelist", "file", "-threads", "1", "-max_pixels", strconv.Itoa(maxPixels), "-f", format}
	if format == "mov" {
		args = append(args, "-enable_drefs", "0") // no media in other files
	}
	return append(args, "-i", "file:"+path)
}

// command is the run of a program whose memory and processor time are bounded before its
// first instruction: a shell sets the limits and becomes the program. A system that does
// not know a limit goes without it; on Windows the options of the program and the time
// limit are the bounds.
func (l *Loader) command(ctx context.Context, name string, limit time.Duration, args []string) (*exec.Cmd, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, ErrNoPoster
	}
	args = append([]string{program, "-hide_banner", "-loglevel", "quiet", "-max_alloc", strconv.Itoa(codecMemory)}, args...)
	if runtime.GOOS != "windows" {
		script := fmt.Sprintf(`ulimit -c 0; ulimit -t %d; ulimit -v %d; exec "$0" "$@"`, limit/time.Second+1, videoMemory)
		args = append([]string{"/bin/sh", "-c", script}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = l.environ
	cmd.WaitDelay = time.Second
	return cmd, nil
}

func (l *Loader) output(ctx context.Context, name string, limit time.Duration, path, format string, options ...string) ([]byte, error) {
	person := ctx
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, err := l.program(ctx, name, limit, path, format, options...)
	if err != nil {
		return nil, err
	}
	out := &capped{}
	cmd.Stdout = out
	err = cmd.Run()
	if person.Err() != nil {
		return nil, person.Err()
	}
	if err != nil || out.held.Len() == 0 {
		return nil, ErrVideo
	}
	return out.held.Bytes(), nil
}

// capped refuses to hold more than a program may write. It hides the buffer's
// ReadFrom, by which a copy would go past Write.
type capped struct{ held bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if c.held.Len()+len(b) > maxOutput {
		return 0, ErrVideo
	}
	return c.held.Write(b)
}

type facts struct {
	width, height int
	seconds       float64
	each          time.Duration // of a frame; FrameTime if it is not known
	frames        int
}

func (l *Loader) probe(ctx context.Context, path, format string) (facts, error) {
	text, err := l.output(ctx, "ffprobe", posterLimit, path, format,
		"-select_streams", "v:0", "-show_entries", "stream=width,height,avg_frame_rate,nb_frames:format=duration", "-of", "json")
	if err != nil {
		return facts{}, err
	}
	var said struct {
		Streams []struct {
			Width, Height int
			Rate          string `json:"avg_frame_rate"`
			Frames        string `json:"nb_frames"`
		}
		Format struct{ Duration string }
	}
	if json.Unmarshal(text, &said) != nil || len(said.Streams) == 0 || said.Streams[0].Width < 1 || said.Streams[0].Height < 1 {
		return facts{}, ErrVideo
	}
	seconds, _ := strconv.ParseFloat(said.Format.Duration, 64) // 0 if it is not known
	each, rate, per := FrameTime, 0.0, 1.0
	if _, _ = fmt.Sscanf(said.Streams[0].Rate, "%g/%g", &rate, &per); rate/per >= 1 && rate/per <= 1000 {
		each = time.Duration(per / rate * float64(time.Second))
	}
	frames, _ := strconv.Atoi(said.Streams[0].Frames) // not every format says it
	return facts{said.Streams[0].Width, said.Streams[0].Height, seconds, each,
		cmp.Or(frames, int(math.Round(seconds/each.Seconds())))}, nil
}

// frame is the number of a frame that there is; below 0 it is counted from the end.
func (f facts) frame(n int) int {
	if n < 0 {
		n += f.frames
	}
	return max(min(n, f.frames-1), 0)
}

// measure opens a video and finds what it is.
func (l *Loader) measure(ctx context.Context, path string) (format string, video facts, err error) {
	file, _, err := open(path)
	if err != nil {
		return "", video, err
	}
	defer file.Close()
	format = container(file)
	video, err = l.probe(ctx, path, format)
	return format, video, err
}

func (l *Loader) still(ctx context.Context, limit time.Duration, path, format, filter, codec string) ([]byte, error) {
	return l.output(ctx, "ffmpeg", limit, path, format,
		"-frames:v", "1", "-vf", filter, "-q:v", "4", "-f", "image2pipe", "-c:v", codec, "pipe:1")
}

// Frame is the frame of a video that is shown at a time, or the last one, as a PNG of its own
// size, and the time at which it begins.
func (l *Loader) Frame(ctx context.Context, path string, at time.Duration) ([]byte, time.Duration, error) {
	if !Frames() {
		return nil, 0, ErrNoProgram
	}
	format, video, err := l.measure(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	n := video.frame(int(math.Round(float64(at) / float64(video.each))))
	png, err := l.still(ctx, sheetLimit, path, format, fmt.Sprintf("trim=start_frame=%d", n), "png")
	return png, time.Duration(n) * video.each, err
}

// Spread divides so many cells for n frames side by side: those of each, and those of a gap.
func Spread(cols, n int) (each, gap int) {
	gap = n - cols%n
	return (cols - (n-1)*gap) / n, gap
}

func (l *Loader) sheet(ctx context.Context, path, format string, on Terminal, cols int) ([]byte, error) {
	video, err := l.probe(ctx, path, format)
	if err != nil {
		return nil, err
	}
	if !(video.seconds > 0) {
		return nil, ErrVideo
	}
	rate := float64(on.Stills.X*on.Stills.Y) / video.seconds
	wide, padding := "'min(640,iw)'", 16
	if each, gap := Spread(cols, on.Stills.X); on.parted() && each > gap {
		wide, padding = "640", 640*gap/each
	}
	filter := fmt.Sprintf("fps=fps=%.6f:round=down,scale=w=%s:h=-2,tile=%dx%d:padding=%d", rate, wide, on.Stills.X, on.Stills.Y, padding)
	return l.still(ctx, sheetLimit, path, format, filter, "mjpeg")
}

// Playback is a video as it plays, without sound, decoded as far as a pipe holds.
type Playback struct {
	cmd   *exec.Cmd
	out   io.ReadCloser
	w, h  int
	idle  *time.Timer // ends a playback that nobody looks at
	first int
	each  time.Duration
}

// FrameTime is the time for which a frame is shown.
const FrameTime = time.Second / playRate

// Play begins to decode a video for an area of so many cells, from a frame on; below 0 it is
// counted from the end. It ends with ctx, when no frame was asked for in five seconds, and
// after ten minutes.
func (l *Loader) Play(ctx context.Context, path string, cols, rows int, cell Cell, frame int) (*Playback, error) {
	format, video, err := l.measure(ctx, path)
	if err != nil {
		return nil, err
	}
	c, r := fit(video.width, video.height, min(cols, MaxCells), min(rows, MaxCells), cmp.Or(cell, DefaultCell))
	ctx, cancel := context.WithTimeout(ctx, playLimit)
	f := &Playback{w: 2 * c, h: 2 * r, first: video.frame(frame), each: video.each}
	f.cmd, err = l.program(ctx, "ffmpeg", playLimit, path, format,
		"-vf", fmt.Sprintf("trim=start_frame=%d,setpts=PTS-STARTPTS,fps=fps=%d:eof_action=pass,scale=%d:%d:flags=area,setsar=1",
			f.first, playRate, f.w, f.h),
		"-pix_fmt", "rgba", "-f", "rawvideo", "pipe:1")
	if err == nil {
		f.out, err = f.cmd.StdoutPipe()
	}
	if err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, errors.Join(ErrVideo, ctx.Err())
	}
	f.idle = time.AfterFunc(playIdle, cancel)
	context.AfterFunc(ctx, func() { // waits for the program; nothing here panics
		f.idle.Stop()
		_ = f.out.Close()
		_ = f.cmd.Wait()
		cancel()
	})
	return f, nil
}

// Start is the number of its first frame, and how long a frame of the video is shown.
func (f *Playback) Start() (frame int, each time.Duration) { return f.first, f.each }

// Next is the next frame; io.EOF after the last.
func (f *Playback) Next() (*image.RGBA, error) {
	f.idle.Reset(playIdle)
	img := image.NewRGBA(image.Rect(0, 0, f.w, f.h))
	if _, err := io.ReadFull(f.out, img.Pix); err != nil {
		return nil, io.EOF
	}
	return img, nil
}

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
	err = cmd.Run()
	// On a full disk, or if a clip is cut, ffmpeg may write a shorter video and end without an error.
	if _, made, cut := l.measure(ctx, to); err != nil || cut != nil || made.seconds < 0.9*seconds {
		return 0, api.Sentence("ffmpeg could not join these videos").Fault(cmp.Or(err, cut))
	}
	return seconds, nil
}
