package media

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

const (
	keptOutput   = 64 << 10         // bytes of a program's output that are kept: the end
	stopPatience = 2 * time.Second  // for a program to end after it was asked to
	noLimit      = 1 << 62          // of the time of a program: 146 years
	maxSaid      = 200              // bytes of a program's last line that an error shows
	clipWait     = time.Minute      // for a program to read or write the clipboard
	maxPasted    = 64 << 20         // bytes of a picture that is taken from the clipboard
	uploadLimit  = 10 * time.Minute // for the command of an upload, and for hooks
)

// program prepares a program of the person's: its words as they are, without a
// shell, in the folder of the file that it is about. It sees none of our
// variables, has nothing to read but input, and no terminal, so that it can neither ask
// there nor write over the screen. When ctx ends, so does the program with
// those that it has started.
func program(ctx context.Context, words []string, file string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = OthersEnviron()
	cmd.Dir = filepath.Dir(file)
	cmd.WaitDelay = stopPatience
	ownGroup(cmd)
	cmd.Cancel = func() error { return stopGroup(cmd, false) }
	return cmd
}

// run runs a program to its end, or for limit at the most, and returns the end of what it
// wrote, kept bytes of it. Errors are *Error.
func run(
	ctx context.Context, words []string, file string, input []byte, kept int, limit time.Duration, env ...string,
) (out, complaint string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := program(ctx, words, file)
	cmd.Env = append(cmd.Env, env...)
	written, complained := tail{most: kept}, tail{most: kept}
	cmd.Stdout, cmd.Stderr = &written, &complained
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		_ = stopGroup(cmd, true) // what did not end when it was asked to
	}
	out, complaint = written.kept.String(), complained.kept.String()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		return out, complaint, nil // what it has left behind goes on
	}
	name := filepath.Base(words[0])
	switch said := api.Clean(lastLine(complaint), maxSaid); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = failed(err, "%v took more than %v minutes, so it was stopped", name, int(limit/time.Minute))
	case ctx.Err() != nil:
		err = failed(err, "%v was stopped", name)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		err = &Error{Fault: api.Sentence("%v is not there: check the settings").Fault(err, words[0]), Final: true}
	case !said.IsZero():
		err = failed(err, "%v failed: %v", name, said)
	default:
		err = failed(err, "%v failed", name)
	}
	return out, complaint, err
}

// Run runs the words of a person's command on a file that darkroom saved, until
// it ends or ctx does, and returns the end of what it wrote, cleaned. Each
// {file} and {id} in the words is the file's path and the id of its job: nothing
// that a service says goes along. Errors are *Error.
func Run(ctx context.Context, words []string, id, file string) (api.Text, error) {
	if _, err := openable(file); err != nil {
		return api.Text{}, err
	}
	out, complaint, err := run(ctx, fill(words, "{file}", file, "{id}", id), file, nil, keptOutput, noLimit)
	all := strings.TrimSpace(strings.TrimSpace(out) + "\n" + complaint)
	all = all[max(len(all)-keptOutput, 0):]
	return api.CleanLines(api.HideKeys(all), keptOutput), err
}

// Hook runs the words of a person's hook, which reads document, in a folder. Its
// limits are those of Run, and it ends after uploadLimit. Errors are *Error.
func Hook(ctx context.Context, words []string, folder string, document []byte) error {
	_, _, err := run(ctx, words, filepath.Join(folder, "-"), document, keptOutput, uploadLimit)
	return err
}

// UploadArguments are the command's words with the file in its place.
func UploadArguments(command []string, file string) []string { return fill(command, "{file}", file) }

// Upload hands a file of this machine to the person's command, which sees no
// variable of ours, and gives the address that its last line of output is: https,
// and public. Errors are *Error and say what to do.
func (f *Fetcher) Upload(ctx context.Context, command []string, file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", final("%v is not there", file)
	case err != nil:
		return "", failed(err, "%v cannot be read", file)
	case !info.Mode().IsRegular():
		return "", final("%v is not a file", file)
	case info.Size() == 0:
		return "", final("%v is empty", file)
	case len(command) == 0:
		return "", final("there is no upload command in the settings")
	}
	out, _, err := run(ctx, UploadArguments(command, file), file, nil, keptOutput, uploadLimit)
	if err != nil {
		return "", err
	}
	address := lastLine(out)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, " \t") || len(address) > maxAddress {
		return "", final("the last line that the upload command printed is not an https:// URL")
	}
	if _, err := f.Public(ctx, address); err != nil {
		return "", failed(err, "the uploaded file %v", err)
	}
	return address, nil
}

func fill(words []string, values ...string) []string {
	return api.Map(words, strings.NewReplacer(values...).Replace)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// tail keeps the end of what is written to it. It hides the buffer's ReadFrom, by
// which a copy would go past Write.
type tail struct {
	kept bytes.Buffer
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	if t.most == maxPasted && t.kept.Len()+len(p) > t.most { // the end of a picture is none
		t.kept = bytes.Buffer{}
		return 0, io.ErrShortWrite
	}
	_, _ = t.kept.Write(p) // never fails
	t.kept.Next(max(t.kept.Len()-t.most, 0))
	return len(p), nil
}

// Clip puts a picture on the clipboard, as it is, with the system's program for that.
// Errors are *Error.
func Clip(ctx context.Context, path string) error {
	kind, err := openable(path)
	if err != nil {
		return err
	}
	class := map[string]string{"image/png": "«class PNGf»", "image/jpeg": "JPEG picture", "image/gif": "GIF picture"}[kind.name]
	words := []string{"xclip", "-selection", "clipboard", "-t", kind.name}
	switch {
	case !strings.HasPrefix(kind.name, "image/") || runtime.GOOS == "darwin" && class == "":
		return final("the clipboard takes no file like %v", path)
	case runtime.GOOS == "darwin":
		words = []string{"osascript", "-e", "on run a\nset the clipboard to (read (POSIX file (item 1 of a)) as " + class + ")\nend run", path}
	case runtime.GOOS == "windows":
		words = []string{"powershell", "-NoProfile", "-STA", "-Command", "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; " +
			"[Windows.Forms.Clipboard]::SetImage([Drawing.Image]::FromFile($env:PICTURE))"}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		words = []string{"wl-copy", "--type", kind.name}
	}
	if _, err = exec.LookPath(words[0]); err != nil {
		return failed(err, "%v is not there, so no picture can be copied: install it", words[0])
	}
	picture, err := os.ReadFile(path)
	if err == nil {
		_, _, err = run(ctx, words, path, picture, keptOutput, clipWait, "PICTURE="+path)
	}
	return err
}

// Paste saves the picture on the clipboard in a folder, as a PNG, with the system's program for
// that, and gives its path. Errors are *Error.
func Paste(ctx context.Context, dir string, now time.Time) (string, error) {
	words := []string{"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}
	switch {
	case runtime.GOOS == "darwin":
		words = []string{"osascript", "-e", "the clipboard as «class PNGf»"}
	case runtime.GOOS == "windows":
		words = []string{"powershell", "-NoProfile", "-STA", "-Command", "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; " +
			"[Windows.Forms.Clipboard]::GetImage().Save([Console]::OpenStandardOutput(), [Drawing.Imaging.ImageFormat]::Png)"}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		words = []string{"wl-paste", "--type", "image/png"}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return "", failed(err, "%v is not there, so no picture can be pasted: install it", words[0])
	}
	out, _, _ := run(ctx, words, os.TempDir(), nil, maxPasted, clipWait) // of one that fails or is larger it is no picture
	png := []byte(out)
	if digits, hexadecimal := strings.CutPrefix(out, "«data PNGf"); hexadecimal { // of osascript
		png, _ = hex.DecodeString(strings.TrimSuffix(strings.TrimSpace(digits), "»"))
	}
	if !bytes.HasPrefix(png, []byte(pngMark)) {
		return "", failed(nil, "there is no picture on the clipboard")
	}
	return savePNG(filepath.Join(dir, now.Format("pasted-20060102-150405.png")), png)
}

// OthersEnviron is the environment ("NAME=value" each) for programs that are not
// ours: it drops our variables, the key among them.
func OthersEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "DARKROOM_") })
}

// openWait is how long an opener may take to say that it cannot. Most hand the
// file over and end at once; some stay as long as the file is shown.
const openWait = 1500 * time.Millisecond

// Open opens path with the opener, or the system's program when opener is "", and
// a video with the player if there is one. The program gets exactly one argument,
// the absolute path of a whole file of a type that darkroom saves; .bin files are
// never opened. Its output goes nowhere and it sees no DARKROOM_ variable. Open
// does not wait for a program that stays. Errors are *Error and name the file, so
// that it can be opened by hand.
func Open(ctx context.Context, player, opener, path string) error {
	kind, unfit := openable(path)
	if strings.HasPrefix(kind.name, "video/") {
		opener = cmp.Or(player, opener)
	}
	words, err := openCommand(opener, path)
	if err = cmp.Or(unfit, err); err != nil {
		return err
	}
	return start(ctx, words, path)
}

// start runs a program that shows path, and does not wait for one that stays. Windows' Explorer ends with 1 in any case.
func start(ctx context.Context, words []string, path string) error {
	cmd := program(context.WithoutCancel(ctx), words, path)
	if err := cmd.Start(); err != nil {
		why := api.Sentence("%v cannot be started: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		if errors.Is(err, fs.ErrPermission) {
			why = api.Sentence("%v may not be run: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			why = api.Sentence("%v is not there: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		}
		return failed(err, why, cmd.Path, path)
	}
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	var err error
	if ended, _ := api.Within(ctx, func() { err = cmd.Wait() }); ended && err != nil && filepath.Base(cmd.Path) != "explorer.exe" {
		return failed(err, "%v could not open %v (%v): open it yourself, or set DARKROOM_OPENER", filepath.Base(cmd.Path), path, err)
	}
	return nil
}

// openable makes sure that darkroom may have written the file, and gives its type.
func openable(path string) (t mediaType, err error) {
	no := func(why api.Sentence) (mediaType, error) {
		return t, final("%v is not opened: %v", path, why.Reason())
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return no("it is not an absolute path")
	}
	var f *os.File
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && filepath.Ext(path) != unknownType.ext {
		f, err = os.Open(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no("it is gone; fetch it again")
	case err != nil:
		return no("it cannot be read")
	case !info.Mode().IsRegular():
		return no("it is not a file")
	case f == nil:
		return no("its type is not known")
	}
	defer f.Close()
	if t = sniff(readAt(f, 0, sniffLen)); t.ext == unknownType.ext || t.ext != filepath.Ext(path) {
		return no("its content is not what its name says")
	}
	return t, nil
}

// Reveal shows a result file in the system's file manager, like Open. Where the
// file manager cannot select a file its folder is shown.
func Reveal(ctx context.Context, path string) error {
	_, unfit := openable(path)
	words, err := openCommand("", filepath.Dir(path))
	switch runtime.GOOS {
	case "darwin":
		words = []string{"/usr/bin/open", "-R", path}
	case "windows":
		words = []string{filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"), "/select,", path}
	}
	if err = cmp.Or(unfit, err); err != nil {
		return err
	}
	return start(ctx, words, path)
}

func openCommand(opener, path string) ([]string, error) {
	switch {
	case opener != "":
		return []string{opener, path}, nil
	case runtime.GOOS == "darwin":
		return []string{"/usr/bin/open", path}, nil
	case runtime.GOOS == "windows":
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "rundll32.exe"), "url.dll,FileProtocolHandler", path}, nil
	}
	found, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, failed(err, "xdg-open is not there to open files: install xdg-utils, set DARKROOM_OPENER, or open %v yourself", path)
	}
	return []string{found, path}, nil
}
