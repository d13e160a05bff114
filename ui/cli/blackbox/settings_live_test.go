//go:build linux

package blackbox

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// configFile is the settings file of the home.
func (h *home) configFile() string { return filepath.Join(h.dir, "config", "darkroom", "config.toml") }

// accent is the sequence of the accent among 256 colours.
func accent(n string) string { return "8;5;" + n }

// writesSoon waits until the program has written text after the first n bytes.
func (s *terminal) writesSoon(n int, text string) {
	s.t.Helper()
	s.waitUntil("the program writes "+text, func(string) bool { return bytes.Contains(s.bytes()[n:], []byte(text)) })
}

// TestThemeIsChosenOnScreen: a theme is shown while it is selected, written into
// the settings file when it is chosen, and used from the next start on.
func TestThemeIsChosenOnScreen(t *testing.T) {
	_, h := begin(t, simtest.Options{}, "COLORTERM", "", "COLORFGBG", "15;0")
	h.configure("# mine\nlang = \"en\"\n")
	s := h.openProgram(binary, 100, 30, true)
	s.waitFor("/ 5,000")
	s.writesSoon(0, accent("215"))
	n := len(s.bytes())
	s.keys("<ctrl+k>")
	s.keysTo("theme<enter>", "slate: cool", "████")
	s.keys("<down>")
	s.writesSoon(n, accent("111"))
	s.keysTo("<enter>", "Theme kept in the settings file.")
	const want = "# mine\nlang = \"en\"\n\n[theme]\nname = \"slate\"\n"
	expect.Equal(t, string(simtest.Must(os.ReadFile(h.configFile()))(t)), want, "the settings file")
	s.quit()
	s.atRest(s.startModes)
	s = h.openProgram(binary, 100, 30, true)
	s.waitFor("/ 5,000")
	s.writesSoon(0, accent("111"))
	expect.That(t, !bytes.Contains(s.bytes(), []byte(accent("215"))), "the usual theme is drawn too")
	s.quit()
}

// TestBackgroundIsFollowed: the terminal turns light and dark while the program
// runs, which it reports, or is asked for when the window gets the focus.
func TestBackgroundIsFollowed(t *testing.T) {
	_, h := begin(t, simtest.Options{}, "COLORTERM", "", "COLORFGBG", "15;0")
	s := h.openProgram(binary, 100, 30, true)
	s.waitFor("/ 5,000")
	s.writesSoon(0, accent("215"))
	s.writesSoon(0, "\x1b[?2031h")
	for _, step := range []struct{ sends, draws string }{
		{"\x1b[?997;2n", accent("94")}, {"\x1b[?997;1n", accent("215")}, {"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", accent("94")},
		{"\x1b]7501;?\x1b\\", "\x1b]7501;state=idle"}, // it takes the program's status
	} {
		n := len(s.bytes())
		s.write(step.sends)
		s.writesSoon(n, step.draws)
	}
	n := len(s.bytes())
	s.write("\x1b[O\x1b[I")
	s.writesSoon(n, "\x1b]11;?")
	s.quit()
	s.atRest(s.startModes)
}

// TestSettingsAreReadAgain: the file is changed while the screens are open.
func TestSettingsAreReadAgain(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.configure("budget = 100\n")
	s := h.screens(120, 30, "f1 help")
	h.configure("budget = 100\n[keys]\nhelp = \"f2\"\n[theme]\nname = \"mono\"\n")
	s.waitFor("f2 help", "The settings file was read again.")
	h.configure("budget = 0\n[keys]\nhelp = \"f2\"\nreviw = \"f5\"\n")
	s.waitFor("Settings unchanged. Line 4, keys.reviw in config.toml is not an action", "f2 help")
	h.configure("budget = 100\nlang = = 1\n")
	s.waitFor("Settings unchanged. Config.toml cannot be read", "line 2", "budget unreadable", "f2 help")
	h.configure("budget = 50\n")
	s.waitFor("f1 help", "of 50 cr")
	s.keys("<ctrl+k>")
	s.keys("read the settings<enter>")
	s.waitUntil("the list is gone", func(screen string) bool { return !strings.Contains(screen, "All actions") })
	s.quit()
	wantCreates(t, service, 0)
}

// TestOwnCommandOnAResult: it gets the file and the id, and nothing of ours; it
// can be stopped; its output cannot reach the terminal.
func TestOwnCommandOnAResult(t *testing.T) {
	service, h := begin(t, simtest.Options{LongSide: 64})
	seen := filepath.Join(h.dir, "seen")
	script := program(t, filepath.Join(h.dir, "own"), "printf '%s\\n' \"$@\" >> '"+seen+"'", "env >> '"+seen+"'", "wc -c >> '"+seen+"'",
		"(echo >/dev/tty) 2>/dev/null || printf 'well \\033]0;evil\\007\\033[2Jdone\\n'")
	h.configure("[[command]]\nkey = \"B\"\nname = \"copy it\"\nrun = [\"" + script + "\", \"a b\", \"{file}\", \"id={id}\"]\n" +
		"[[command]]\nkey = \"alt+b\"\nname = \"slow one\"\nrun = [\"sh\", \"-c\", \"echo $$ > '" + seen + ".pid'; sleep 600\", \"{id}\"]\n" +
		"[[command]]\nkey = \"ctrl+k\"\nname = \"third\"\nrun = [\"true\", \"{id}\"]\n")
	made := document[job](t, h.run("image", "a $(touch evil) boat", "--yes", "--json").wantCode(t, 0))
	h.run("doctor").prints(t, "ctrl+k is already the key of all_actions where results are shown")
	calls := len(service.Calls())
	s := h.screens(120, 30, "command.3.key")
	s.keysTo("<alt+2>", "/ filter", "● done")
	s.keysTo("B", "✓ copy it is done · well")
	text := string(simtest.Must(os.ReadFile(seen))(t))
	want := "a b\n" + made.Files[0].Path + "\nid=" + made.ID + "\n"
	expect.That(t, strings.HasPrefix(text, want) && strings.HasSuffix(text, "\n0\n"), "the command got", text, "want", want)
	expect.Lacks(t, text, "DARKROOM_")
	expect.Lacks(t, text, testKey)
	expect.That(t, !bytes.Contains(s.bytes(), []byte("evil\a")), "what it wrote reached the terminal as a sequence")
	s.write("\x1bb")
	s.waitFor("slow one is running. alt+x stops it.")
	var pid string
	s.waitUntil("it runs", func(string) bool {
		text, _ := os.ReadFile(seen + ".pid")
		pid = strings.TrimSpace(string(text))
		return regexp.MustCompile(`^\d+$`).MatchString(pid)
	})
	s.write("\x1bx")
	s.waitFor("Sh was stopped.")
	awaitEnd(t, pid)
	s.write("\x1bb")
	s.waitFor("slow one is running.")
	s.quit()
	s.atRest(s.startModes)
	awaitEnd(t, strings.TrimSpace(string(simtest.Must(os.ReadFile(seen+".pid"))(t))))
	for _, call := range service.Calls()[calls:] {
		expect.That(t, call.Method != "POST" || !strings.Contains(call.Path, "generat"), call.Method, call.Path, "was called")
	}
}

// awaitEnd waits until a process has ended, also when nobody asks how.
func awaitEnd(t *testing.T, pid string) {
	t.Helper()
	await(t, "process "+pid+" has ended", func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		_, state, _ := strings.Cut(string(stat), ") ")
		return err != nil || strings.HasPrefix(state, "Z")
	})
}

// TestTheDemoTakesThePersonsSettings: all but the service's address, key and
// budget, and it changes none of them.
func TestTheDemoTakesThePersonsSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t, "https://elsewhere.example").with("COLORTERM", "", "COLORFGBG", "15;0", "DARKROOM_BUDGET", "")
	const text = "base_url = \"https://nowhere.example\"\nbudget = 0.000001\nafter_send = \"jobs\"\non_done = \"nothing\"\n" +
		"[profile]\ntools_path = \"/nowhere\"\njob_id = \"nowhere\"\n[theme]\nname = \"slate\"\n[keys]\nreview = \"f6\"\n"
	h.configure(text)
	s := h.openProgram(binary, 100, 30, true, "demo")
	s.waitFor("/ 5,000", "f6")
	s.writesSoon(0, accent("111"))
	s.keys("a kite")
	s.keys("\x1b[17~") // f6
	s.waitFor("12.5", "enter")
	s.keysTo("<enter>", "all 1", "done")
	s.keysTo("<ctrl+q>", "Quit now?")
	s.keys("y")
	s.end()
	expect.Equal(t, string(simtest.Must(os.ReadFile(h.configFile()))(t)), text, "the settings file")
	expect.Len(t, h.jobs(), 0, "the demo left the jobs")
}

// TestPricesAreTheSpecsForEveryDuration: all 12 cells for 1 to 15 seconds, as
// --csv prints them without a service, equal the spec's table.
func TestPricesAreTheSpecsForEveryDuration(t *testing.T) {
	t.Parallel()
	spec := map[string]int{"fast 720p": 85, "standard 720p": 85, "fast_vip 480p": 50, "fast_vip 720p": 100,
		"standard_vip 480p": 85, "standard_vip 720p": 100, "standard_vip 1080p": 200}
	h := newHome(t, "").with("DARKROOM_BASE_URL", "")
	for seconds := 1; seconds <= 15; seconds++ {
		e := h.run("prices", "--duration", strconv.Itoa(seconds), "--csv").wantCode(t, 0)
		rows := simtest.Must(csv.NewReader(strings.NewReader(e.stdout)).ReadAll())(t)
		expect.Must(t, len(rows) == 13, seconds, "s", len(rows), "lines", e.stdout)
		for _, row := range rows[1:] {
			cell := map[string]string{}
			for i, name := range rows[0] {
				cell[name] = row[i]
			}
			rate, ok := spec[cell["video_model"]+" "+cell["resolution"]]
			expect.Equal(t, cell["available"], fmt.Sprint(ok), seconds, "s", cell)
			credits, each := "", ""
			if ok {
				credits, each = strconv.Itoa(rate*seconds), strconv.Itoa(rate)
				expect.Equal(t, cell["duration"], strconv.Itoa(seconds), seconds, "s", cell)
			} else {
				expect.Contains(t, cell["reason"], "choose another tier or resolution", seconds, "s", cell)
			}
			expect.Equal(t, cell["credits"], credits, seconds, "s", cell)
			expect.Equal(t, cell["credits_per_second"], each, seconds, "s", cell)
		}
	}
}

// TestPricesAnswerQuestions: what a budget pays for, the cheapest ways, one
// model's table, Markdown, and flags that cannot be.
func TestPricesAnswerQuestions(t *testing.T) {
	service, h := begin(t, simtest.Options{ExtraModels: 3})
	for line, wants := range map[string][]string{
		"prices --budget 2000":                                       {"2,000 credits buy:", "23 s, or 4 × 5 s", "10 s, or 2 × 5 s", "160 images"},
		"prices --top 5 --duration 10 --aspect-ratio 16:9":           {"lumen/still-1  1K        medium        16:9  ~ 12.5", "seedance2      fast_vip  480p    10 s  16:9  ≈ 500"},
		"prices --model lumen/still-1":                               {"low  medium  high", "4K              24      48    96", "2K: cheapest with low, 10 credits"},
		"prices --model lumen/still-2 --markdown":                    {"| lumen/still-2 | low | medium | high |", "| 4K | 25 | 49 | 97 |"},
		"prices --kind video":                                        {"seedance2, 5 s", "480p/s    5 s"},
		"prices --kind image --quote --top 2 --csv":                  {"lumen/still-1,image,,,1K,low,,,,6,service,true"},
		"prices --duration 13":                                       {"duration must be at most 12 s"},
		"prices --model seedance2 --duration 4 --json --budget 1000": {`"count": 5`, `"seconds": 20`, `"budget": 1000`},
	} {
		e := h.run(strings.Fields(line)...).wantCode(t, 0).prints(t, wants...)
		expect.That(t, !strings.Contains(line, "--kind video") || !strings.Contains(e.stdout, "lumen"), line, "has images", e.stdout)
	}
	for _, line := range []string{"prices --kind audio", "prices --budget much", "prices --budget today", "prices --top -1", "prices --model acme/none",
		"prices --csv --json", "prices --duration 0", "spend --csv --json", "prices --markdown --top 2", "prices --markdown --budget 9"} {
		h.run(strings.Fields(line)...).wantCode(t, 2)
	}
	e := h.run("prices", "--kind", "video", "--budget", "2000", "--top", "1").wantCode(t, 0).prints(t, "fast_vip  480p")
	expect.Lacks(t, e.stdout, "720p", "the cheapest that a budget pays for")
	h.with("DARKROOM_BUDGET", "4e10").run("prices", "--budget", "today").wantCode(t, 0).prints(t, "40,000,000,000 credits buy:", "3200000000 images")
	wantCreates(t, service, 0)
}

type ledgerLine struct {
	Day, Model, Kind  string
	Jobs, Unpriced    int
	Credits, Possibly float64
}

// TestSpend: two images, a video and a request of unknown outcome, by model and
// kind, under the local day of a zone that is a day ahead of or behind UTC at
// some hour of every day.
func TestSpend(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("spend").wantCode(t, 0)
	for _, args := range [][]string{{"image", "a"}, {"image", "b"}, {"video", "c", "--duration", "5", "--video-model", "fast"}} {
		h.run(append(args, "--yes", "--no-wait")...).wantCode(t, 0)
	}
	service.AddFault(simtest.Fault{Endpoint: "create", Do: "status", Status: 500})
	h.run("image", "d", "--yes").wantCode(t, 6)
	for _, zone := range []string{"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		place := simtest.Must(time.LoadLocation(zone))(t)
		before := time.Now().In(place).Format(time.DateOnly)
		got := document[struct {
			Since string
			Spend []ledgerLine
			Total ledgerLine
		}](t, h.with("TZ", zone).run("spend", "--json").wantCode(t, 0))
		expect.Must(t, len(got.Spend) == 2, zone, got)
		image, video := got.Spend[0], got.Spend[1]
		expect.Equal(t, image, ledgerLine{Day: image.Day, Model: "lumen/still-1", Kind: "image", Jobs: 3, Credits: 25, Possibly: 12.5}, zone)
		expect.Equal(t, video, ledgerLine{Day: video.Day, Model: "seedance2", Kind: "video", Jobs: 1, Credits: 425}, zone)
		after := time.Now().In(place).Format(time.DateOnly)
		expect.That(t, image.Day == before || image.Day == after, zone, "the day is", image.Day, "want", before)
		expect.That(t, got.Total.Jobs == 4 && got.Total.Credits == 450 && got.Total.Possibly == 12.5, zone, "total", got.Total)
	}
	h.with("DARKROOM_CREDIT", "0.01 EUR").run("spend", "--month").wantCode(t, 0).prints(t, "at this rate", " EUR) this month")
	h.run("spend", "--month", "--since", "2999-01-01").wantCode(t, 2)
	h.run("spend", "--since", "2999-01-01").wantCode(t, 0).prints(t, "nothing was spent")
	h.run("spend", "--since", "someday").wantCode(t, 2).says(t, "--since")
}

// TestAnUnlistedModelIsNotSent by --yes if it has no price either, alone or as one of several.
func TestAnUnlistedModelIsNotSent(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	h.run("image", "x", "--model", "lumen/still-1", "--yes", "--no-wait").wantCode(t, 0)
	for _, more := range [][]string{nil, {"--quiet"}, {"--json"}, {"--expand", "--size", "1K,2K"}} {
		e := h.run(append([]string{"image", "x", "--model", "lumen/stil-1", "--yes"}, more...)...).wantCode(t, 2)
		expect.Contains(t, e.stderr+e.stdout,
			"nothing was sent: model lumen/stil-1 is not in the service's list and has no price; did you mean lumen/still-1?", more)
	}
	wantCreates(t, service, 1)
}
