//go:build linux

package blackbox

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"darkroom/api/sim/simtest"
)

// use is how a command is used in these tests. A command that is not in the
// table is run without arguments and has to end with 0.
type use struct {
	args  []string // {id} is a finished job, {dir} a new folder, {recipe} a recipe
	code  int      // with a finished job in the store
	empty int      // with an empty store
}

var uses = map[string]use{
	"darkroom":                {code: 3, empty: 3},
	"darkroom demo":           {code: 3, empty: 3},
	"darkroom login":          {code: 1, empty: 1}, // there is no keyring here
	"darkroom logout":         {code: 1, empty: 1},
	"darkroom simulate":       {code: 0},                        // until it is interrupted
	"darkroom watch":          {args: []string{"--since", "0"}}, // likewise
	"darkroom image":          {args: []string{"a kettle", "--yes", "--again"}},
	"darkroom video":          {args: []string{"a kettle", "--yes", "--again"}},
	"darkroom estimate image": {args: []string{"a kettle"}},
	"darkroom estimate video": {args: []string{"a kettle"}},
	"darkroom job":            {args: []string{"{id}"}, empty: 2},
	"darkroom wait":           {args: []string{"{id}"}, empty: 2},
	"darkroom fetch":          {args: []string{"{id}"}, empty: 2},
	"darkroom open":           {args: []string{"{id}"}, empty: 2},
	"darkroom clean":          {args: []string{"--not-picked"}},
	"darkroom edit":           {args: []string{"{recipe}"}, code: 3, empty: 3},
	"darkroom batch":          {args: []string{"{list}", "--kind", "image", "--dry-run"}},
	"darkroom join":           {args: []string{"{id}", "{id}", "--output", "scene.mp4"}, code: 2, empty: 2}, // it is no video
	"darkroom export":         {args: []string{"--html", "{dir}"}},
	"darkroom tools call":     {args: []string{"list_models"}},
}

// sameInChinese are commands whose output is data or for other programs.
var sameInChinese = []string{"completion", "version", "config", "wait", "fetch", "open", "image", "video", "batch", "export", "jobs", "call", "mcp"}

// TestEveryCommand walks the commands that help names and uses each as a new
// user and a script would: with help, a wrong flag, an empty store, its output in
// a pipe and on a full disk, as JSON, and in Chinese.
func TestEveryCommand(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	full, empty := newHome(t, service.URL()), newHome(t, service.URL())
	for _, h := range []*home{full, empty} {
		h.env["DARKROOM_OPENER"] = "/bin/true"
		h.env["DARKROOM_TIME_SCALE"] = "0.5" // a tool call has 7.5 s: many commands run at a time
	}
	full.run("image", "a kettle", "--yes").wantCode(t, 0)
	helps := helpPages()
	if len(helps) < 25 {
		t.Fatalf("help has only %d pages", len(helps))
	}
	for path := range uses {
		if helps[path] == "" {
			t.Errorf("%q is no command any more", path)
		}
	}
	done := full.jobs()[0]
	for path, text := range helps {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			full, empty := full, empty
			if strings.HasSuffix(path, "image") || strings.HasSuffix(path, "video") {
				full, empty = full.with("DARKROOM_TIME_SCALE", "0.1"), empty.with("DARKROOM_TIME_SCALE", "0.1") // they wait for a job
			}
			c := commandUse{t: t, path: path, use: uses[path], full: *full, empty: *empty, job: done, text: text}
			c.full.t, c.empty.t = t, t
			c.chinese = *c.full.with("DARKROOM_LANG", "zh")
			c.help()
			c.wrongFlag()
			c.emptyStore()
			c.piped()
			c.json()
		})
	}
}

// helpPages are what help says of each command: all that it names, from the first on.
var helpPages = sync.OnceValue(func() map[string]string {
	pages, all := map[string]string{}, []string{"darkroom"}
	for i := 0; i < len(all); i++ {
		cmd := exec.Command(binary, append([]string{"help"}, strings.Fields(all[i])[1:]...)...)
		cmd.Env = []string{"HOME=" + filepath.Dir(binary), "LANG=C.UTF-8"}
		text, _ := cmd.Output()
		pages[all[i]] = string(text)
		below := false
		for line := range strings.Lines(string(text)) {
			switch name := strings.Fields(line); {
			case line == "Commands:\n", slices.Contains([]string{"Make:\n", "Results:\n", "Prices and account:\n", "Agents and scripts:\n", "Other:\n"}, line):
				below = true
			case len(name) == 0:
				below = false
			case below && strings.HasPrefix(line, "  ") && line[2] != ' ':
				all = append(all, all[i]+" "+name[0])
			}
		}
	}
	return pages
})

// TestExamplesWork runs the examples of all help pages: a command may miss what a
// reader has of their own, such as a job, but knows every word and value.
func TestExamplesWork(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.env["PATH"] = filepath.Dir(binary) + ":" + h.env["PATH"]
	must(t, os.WriteFile(filepath.Join(h.dir, "prompt.txt"), []byte("a kettle\n"), 0o600))
	for name, text := range map[string]string{"shots.csv": "prompt,kind\na,image", "prompts.md": "- a", "shots.jsonl": `{"prompt":"a","kind":"image"}`} {
		must(t, os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "arguments.json"), []byte(`{"prompt":"a kettle"}`), 0o600))
	ran := 0
	for _, path := range slices.Sorted(maps.Keys(helpPages())) {
		_, text, _ := strings.Cut(helpPages()[path], "\nExamples:\n")
		text, _, _ = strings.Cut(text, "\n\n")
		for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " | man")
			if !strings.HasPrefix(line, "darkroom ") || strings.HasPrefix(line, "darkroom log") || strings.Contains(line, "completion ") {
				continue // another program, a keyring, another shell
			}
			if strings.HasPrefix(line, "darkroom simulate") || strings.HasPrefix(line, "darkroom watch") {
				h.run(strings.Fields(line)[1:]...).wantCode(t, 0)
				ran++
				continue
			}
			var out, errs strings.Builder
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
			cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = h.environ(), h.dir, &out, &errs
			_ = cmd.Run()
			ran++
			missing := slices.ContainsFunc([]string{"no job", "no material named", "pass --yes", "harbour-at-dawn", "need a terminal"},
				func(why string) bool { return strings.Contains(errs.String(), why) })
			if code := cmd.ProcessState.ExitCode(); code != 0 && !missing {
				t.Errorf("%s: exit code %d: %s%s", line, code, &out, &errs)
			}
		}
	}
	if ran < 40 {
		t.Errorf("only %d examples were found", ran)
	}
}

// commandUse is one command under test.
type commandUse struct {
	t       *testing.T
	path    string
	use     use
	full    home // has a finished job
	chinese home // the same
	empty   home
	job     job
	text    string // of its help
}

// line is the command line with more arguments behind it.
func (c *commandUse) line(more ...string) []string {
	args := strings.Fields(c.path)[1:]
	for _, arg := range c.use.args {
		switch arg {
		case "{id}":
			arg = c.job.ID
		case "{dir}":
			arg = filepath.Join(c.t.TempDir(), "sheet")
		case "{list}":
			arg = filepath.Join(c.t.TempDir(), "list.md")
			must(c.t, os.WriteFile(arg, []byte("- a kettle\n"), 0o600))
		case "{recipe}":
			file := c.job.Files[0].Path
			arg = strings.TrimSuffix(file, filepath.Ext(file)) + ".darkroom.json"
		}
		args = append(args, arg)
	}
	return append(args, more...)
}

func (c *commandUse) help() {
	text := c.full.run(append(strings.Fields(c.path)[1:], "--help")...)
	if text.code != 0 || text.stderr != "" || !strings.Contains(text.stdout, "\nUsage:\n  "+c.path) || c.text != text.stdout {
		c.t.Errorf("help: %+v\n%s", text, c.text)
	}
	if group := strings.Contains(text.stdout, "\nCommands:\n") && !strings.Contains(text.stdout, "\nExamples:\n"); group && c.path != "darkroom completion" || !group && !strings.Contains(text.stdout, "\nExamples:\n  ") && c.path != "darkroom help" {
		c.t.Errorf("the help has no example:\n%s", text.stdout)
	}
}

// wrongFlag is refused with one line that names it, in the language of the person;
// nothing is printed.
func (c *commandUse) wrongFlag() {
	for flag, h := range map[string]*home{"--nonsense": &c.chinese, "--base-url": &c.full} {
		e := h.run(c.line(flag)...)
		if e.code != 2 || e.stdout != "" || !strings.HasPrefix(e.stderr, "darkroom: ") || strings.Count(e.stderr, "\n") != 1 || !strings.Contains(e.stderr, flag) || han(e.stderr) != (h == &c.chinese) {
			c.t.Errorf("%s: %+v", flag, e)
		}
	}
	if e := c.full.run(c.line("one", "two", "three")...); c.path != "darkroom wait" && (e.code != 2 || e.stdout != "" || strings.Count(e.stderr, "\n") != 1) {
		c.t.Errorf("three words too many: %+v", e)
	}
}

func (c *commandUse) emptyStore() {
	e := c.empty.run(c.line()...)
	if e.code != c.use.empty {
		c.t.Errorf("with an empty store: exit code %d, want %d\n%s%s", e.code, c.use.empty, e.stdout, e.stderr)
	}
	if e.stdout == "" && e.stderr == "" && c.path != "darkroom open" {
		c.t.Error("with an empty store nothing is said")
	}
}

// piped: what is printed where no terminal reads has no escapes, what could not be
// written is no success, and lines for people are in their language.
func (c *commandUse) piped() {
	e, names := c.chinese.run(c.line()...), strings.Fields(c.path)
	if e.code != c.use.code || strings.ContainsAny(e.stdout+e.stderr, "\x1b\r\a") {
		c.t.Errorf("piped: exit code %d, want %d\n%q\n%q", e.code, c.use.code, e.stdout, e.stderr)
	}
	if !slices.Contains(names, "completion") && !slices.Contains(sameInChinese, names[len(names)-1]) && !han(e.stdout+e.stderr) {
		c.t.Errorf("in Chinese: %+v", e)
	}
	if e := c.chinese.run(append(names[1:], "--help")...); !strings.Contains(e.stdout, "用法：") {
		c.t.Errorf("help in Chinese: %+v", e)
	}
	if e.stdout == "" || e.code != 0 {
		return
	}
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(c.t, err)
	defer device.Close()
	if e := c.full.finish("", device, c.line()...); e.code != 1 || !strings.Contains(e.stderr, "no space left") {
		c.t.Errorf("on a full disk: exit code %d: %s", e.code, e.stderr)
	}
}

func han(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// json: one document and nothing else on standard output, also of a failure.
func (c *commandUse) json() {
	if !strings.Contains(c.text, "--json") {
		return
	}
	for _, h := range []*home{&c.full, &c.empty} {
		want := c.use.code
		if h == &c.empty {
			want = c.use.empty
		}
		e := h.run(c.line("--json")...)
		var d map[string]any
		if err := json.Unmarshal([]byte(e.stdout), &d); err != nil || e.code != want || !strings.HasSuffix(e.stdout, "}\n") {
			c.t.Errorf("--json: exit code %d, want %d, %v\n%s%s", e.code, want, err, e.stdout, e.stderr)
		}
		if failed, _ := d["error"].(string); e.code == 2 && (failed == "" || d["exit_code"] != 2.0) {
			c.t.Errorf("the document of a failure: %s", e.stdout)
		}
	}
	if e := c.full.run(c.line("--json", "--nonsense")...); e.code != 2 || !json.Valid([]byte(e.stdout)) {
		c.t.Errorf("--json --nonsense: %+v", e)
	}
	if e := c.full.run(c.line("--jq", "keys | length")...); e.code != c.use.code || e.code == 0 && strings.Trim(e.stdout, "0123456789") != "\n" {
		c.t.Errorf("--jq: %+v", e)
	}
}
