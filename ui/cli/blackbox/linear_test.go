//go:build linux

package blackbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// lines opens the program in plain lines, by the flag or by the terminal, and waits
// until it asks for a prompt.
func (h *home) lines(args ...string) *terminal {
	h.t.Helper()
	if len(args) == 0 {
		h = h.with("TERM", "dumb")
	}
	s := h.open(100, 30, args...)
	s.waitFor(map[string]string{"": "image>", "en": "image>", "zh": "图片>"}[h.env["DARKROOM_LANG"]])
	return s
}

// says types a line and waits for what is written after it.
func (s *terminal) says(line, answer string) {
	s.t.Helper()
	before := len(s.bytes())
	s.keys(line + "<enter>")
	s.waitUntil(line+" is answered with "+answer, func(string) bool {
		return strings.Contains(strings.ReplaceAll(string(s.bytes()[before:]), "\r\n", ""), answer)
	})
}

// TestLinear goes the main job's way in plain lines: a price, a question, a
// line for each change, commands behind a slash; and nothing that steers a
// terminal leaves the program.
func TestLinear(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	for name, args := range map[string][]string{"dumb": nil, "flag": {"--linear"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, service.URL())
			h.configure("[[hook]]\non = ['done']\nrun = ['sh', '-c', 'echo no such thing >&2; exit 1']\n")
			s := h.lines(args...)
			s.says("y", "answers no question")
			s.says("a lighthouse in gouache", "Send it? [y/N]")
			s.pause() // a line that is no answer is a no, and the next line
			s.says("a {red|blue} kite", "2 requests · 25 creditsSend them all? [y/N]")
			s.says("n", "not sent")
			s.says("a paper boat", "Send it? [y/N]")
			s.says("y", "· done · image · a paper boat")
			s.waitFor("hook: sh failed: no such thing")
			s.says("/video --duration 5 --video-model fast", "video>")
			s.says("/price", "425 credits")
			s.says("/video --quality high", "quality")
			s.says("/jobs", "a paper boat")
			s.says("/spend", "12.5 cr")
			s.says("/nonsense", "see '/help'")
			s.says("/jbs", "did you mean '/jobs'?")
			s.says(`/job "never closed`, "quote")
			s.says("/demo", "leave with '/quit' first")
			s.says("/help", "/quit")
			s.keys("/quit<enter>")
			s.ends(0)
			// Marks around what is pasted are asked for, and given up again.
			if got := strings.Trim(string(s.bytes()), "\r\n"); strings.Count(got, "\x1b") != 2 ||
				!strings.Contains(got, "\x1b[?2004h") || !strings.Contains(got, "\x1b[?2004l") {
				t.Errorf("another escape sequence left the program: %q", got)
			}
			s.atRest(s.startModes)
			list := h.jobs()
			expect.That(t, len(list) == 1 && len(list[0].Files) == 1, "jobs", list)
		})
	}
}

// TestLinearDemoAsks: leaving a demo would delete what still runs.
func TestLinearDemoAsks(t *testing.T) {
	t.Parallel()
	s := newHome(t, "").with("DARKROOM_TIME_SCALE", "20").lines("demo", "--linear")
	s.says("a boat", "Send it? [y/N]")
	s.says("y", "· sending")
	s.says("/quit", "1 job under way: the demo deletes what it has created. Leave? [y/N]")
	s.says("n", "image>")
	s.says("/quit", "Leave? [y/N]")
	s.says("y", "")
	s.ends(0)
}

// TestLinearPromptFromFile: what is too long to type, and a file that is not
// there; "-" is a prompt like any other.
func TestLinearPromptFromFile(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.05") // what the service said counts for half a minute
	file := filepath.Join(h.dir, "prompt.txt")
	must(t, os.WriteFile(file, []byte("a boat\nof paper"), 0o600))
	s := h.lines()
	s.says("@"+filepath.Join(h.dir, "nothing"), "the prompt cannot be read")
	s.says("@"+file, "Send it?")
	s.says("y", "· done ·")
	s.says("-", "Send it?")
	s.says("n", "not sent")
	service.AddFault(simtest.Fault{Endpoint: "estimate", Do: "status", Status: 404})
	s.says("/image --size 2K", "price not known")
	s.says("a kite", "Send it?")
	service.ClearFaults() // its price becomes known while the question stands
	service.AddFault(simtest.Fault{Endpoint: "estimate", Do: "price", Body: "5000"})
	s.says("y", "was not known before: nothing was sent; confirm again to send itSend it?")
	s.says("n", "not sent")
	service.AddFault(simtest.Fault{Endpoint: "create", Do: "status", Status: 402, Count: 1})
	s.says("a sail", "Send it?")
	s.says("y", "· rejected ·")
	for range 2 {
		s.says("a sail", "then confirm againSend it?")
		s.says("n", "not sent") // and what the service said is not forgotten
	}
	s.says("a sail", "then confirm againSend it?")
	s.says("y", "· done ·")
	s.keys("\x04")
	s.ends(0)
	list := h.jobs()
	expect.That(t, len(list) == 3 && strings.Contains(string(list[2].Request), `a boat\nof paper`), "jobs", list)
}

// TestLinearSignals: a signal ends it with its code while a request waits for
// its answer; the job is not lost, and goes on in the next one.
func TestLinearSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			service, h := begin(t, simtest.Options{TimeScale: 20})
			s := h.lines()
			s.says("a boat", "Send it?")
			s.says("y", "· sending")
			for len(h.jobs()) == 0 || h.jobs()[0].RemoteID == nil {
				time.Sleep(20 * time.Millisecond)
			}
			s.signal(sig)
			s.ends(128 + int(sig))
			s.atRest(s.startModes)
			again := h.lines()
			again.waitFor("1 job under way")
			again.keys("/quit<enter>")
			again.end()
			wantCreates(t, service, 1)
		})
	}
}

// TestLinearWithoutKey: it says so, and nothing is requested for a prompt.
func TestLinearWithoutKey(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_API_KEY", "")
	s := h.lines()
	s.waitFor("no API key")
	s.says("a boat", "no API key")
	s.keys("/quit<enter>")
	s.ends(0)
	wantCreates(t, service, 0)
}

// TestLinearKeepsGoing: Ctrl-C ends what a line began and not the program, the next
// line is read, blanks and controls in front of a slash are no prompt, a job has two
// lines, and hints name what is typed here.
func TestLinearKeepsGoing(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	s := h.lines()
	s.says("a lighthouse", "Send it? [y/N]")
	s.signal(syscall.SIGINT)
	s.waitFor("stopped; nothing was sent")
	s.says("a paper boat", "Send it? [y/N]")
	s.says("y", "· done · image · a paper boat")
	job := h.jobs()[0]
	text := string(s.bytes())
	expect.Equal(t, strings.Count(text, "job "+job.ID), 2, "the lines of a job", text)
	s.says("  /spend", "12.5 cr")
	s.says("\x0c/jobs", job.ID)
	s.says("/quit now", "'/quit' takes no argument: leave now out")
	s.says("/jobs --bogus", "see '/jobs --help'")
	s.says("/image --image-url "+job.ID, "image>")
	s.says("/price", "12.5 credits")
	s.says("/video --video-files "+job.ID, "video>")
	s.says("it rocks", "--video-files: the result of job "+job.ID+" is of another kind")
	s.says("/video --from "+job.ID+" --video-model fast --resolution 720p", "video>")
	s.says("it sails", "Send it? [y/N]")
	s.says("y", "· done · video · it sails")
	expect.Contains(t, string(h.jobs()[0].Request), `"image_url": "`+job.Files[0].URL, "sent")
	s.signal(syscall.SIGINT)
	s.ends(130)
}

// TestPastedKeysSpendNothing: a paste that holds its own end mark is followed by
// keys that look typed. They reach the review and send nothing; after a pause
// one enter sends once.
func TestPastedKeysSpendNothing(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "3")
	s := h.open(120, 40) // keys confirm nothing for 3 s
	s.waitFor("/ 5,000")
	s.write("a paper boat")
	s.waitFor("a paper boat", "quoted")
	for range times(1, 3) {
		s.write("\x1b[200~drifts\x1b[201~\x13\r\r\r\x1b[201~")
		s.waitPast("asking the service", "/api/v1/") // the review has its price
		s.write("\r\r")
		s.waitFor("Press enter again.")
		wantCreates(t, service, 0)
		s.keys("<esc>")
		s.waitUntil("the review is closed", func(screen string) bool { return !strings.Contains(screen, "/api/v1/") })
		s.pause()
	}
	s.review()
	s.keysTo("<enter>", "Accepted.")
	s.quit()
	wantCreates(t, service, 1)
}

// TestLinearPasteIsNoAnswer: lines that were pasted or typed before a question
// was shown do not answer it, with and without the marks around a paste; a block
// is one prompt; a later answer counts.
func TestLinearPasteIsNoAnswer(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "1")
	secret := filepath.Join(h.dir, "secret.txt")
	must(t, os.WriteFile(secret, []byte("a private note"), 0o600))
	s := h.lines()
	for _, text := range []string{"@" + secret + "\ny\nyes\n", "\x1b[200~a boat\ny\nyes\n\x1b[201~\ny\n", "\x1b[200~a boat\x1b[201~\ny\ny\n\x1b[201~\n"} {
		before := len(s.bytes())
		s.write(text)
		s.waitUntil("the question is asked", func(string) bool { return contains(s.bytes()[before:], "Send it?") })
		s.says("n", "not sent")
	}
	wantCreates(t, service, 0)
	s.write("\x1b[200~a boat\nof paper\x1b[201~\n")
	s.waitUntil("the question is asked", func(screen string) bool { return contains([]byte(screen), "Send it?") })
	s.says("y", "\u00b7 done \u00b7")
	s.keys("/quit<enter>")
	s.end()
	wantCreates(t, service, 1)
	list := h.jobs()
	expect.That(t, len(list) == 1 && contains(list[0].Request, `a boat\nof paper`), "jobs", list)
}

// TestPipedInputConfirmsNothing: what is piped cannot answer a question.
func TestPipedInputConfirmsNothing(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.runWith("a boat\ny\ny\n/quit\n", "--linear").says(t, "need a terminal")
	h.runWith("y\ny\n", "image", "a boat").wantCode(t, 2).says(t, "--yes")
	wantCreates(t, service, 0)
}

func contains(b []byte, part string) bool { return bytes.Contains(b, []byte(part)) }
