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
	"darkroom/api/sim/simtest/expect"
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
	full.run("image", "a {pot|kettle}", "--expand", "--yes").wantCode(t, 0) // one may be fetched while the other is listed
	helps := helpPages()
	expect.Must(t, len(helps) >= 25, "help has only", len(helps), "pages")
	for path := range uses {
		expect.That(t, helps[path] != "", path, "is no command any more")
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
			code := cmd.ProcessState.ExitCode()
			expect.That(t, code == 0 || missing, line, "exit code", code, &out, &errs)
		}
	}
	expect.That(t, ran >= 40, "only", ran, "examples were found")
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
	text.wantCode(c.t, 0).prints(c.t, "\nUsage:\n  "+c.path)
	expect.Equal(c.t, text.stderr, "", "help")
	expect.Equal(c.t, text.stdout, c.text, "help")
	group := strings.Contains(text.stdout, "\nCommands:\n") && !strings.Contains(text.stdout, "\nExamples:\n")
	exempt := map[string]bool{"darkroom completion": group, "darkroom help": !group}
	expect.That(c.t, exempt[c.path] || !group && strings.Contains(text.stdout, "\nExamples:\n  "), "the help has no example", text.stdout)
}

// wrongFlag is refused with one line that names it, in the language of the person;
// nothing is printed.
func (c *commandUse) wrongFlag() {
	for flag, h := range map[string]*home{"--nonsense": &c.chinese, "--base-url": &c.full} {
		e := h.run(c.line(flag)...)
		e.wantCode(c.t, 2).says(c.t, flag)
		expect.That(c.t, e.stdout == "" && strings.HasPrefix(e.stderr, "darkroom: ") && strings.Count(e.stderr, "\n") == 1, flag, e)
		expect.Equal(c.t, han(e.stderr), h == &c.chinese, flag, "in Chinese", e.stderr)
	}
	e := c.full.run(c.line("one", "two", "three")...)
	refused := e.code == 2 && e.stdout == "" && strings.Count(e.stderr, "\n") == 1
	expect.That(c.t, refused || c.path == "darkroom wait", "three words too many", e)
}

func (c *commandUse) emptyStore() {
	e := c.empty.run(c.line()...)
	expect.Equal(c.t, e.code, c.use.empty, "with an empty store: exit code", e.stdout, e.stderr)
	expect.That(c.t, e.stdout != "" || e.stderr != "" || c.path == "darkroom open", "with an empty store nothing is said")
}

// piped: what is printed where no terminal reads has no escapes, what could not be
// written is no success, and lines for people are in their language.
func (c *commandUse) piped() {
	e, names := c.chinese.run(c.line()...), strings.Fields(c.path)
	expect.Equal(c.t, e.code, c.use.code, "piped", e.stdout, e.stderr)
	expect.That(c.t, !strings.ContainsAny(e.stdout+e.stderr, "\x1b\r\a"), "piped", e)
	same := slices.Contains(names, "completion") || slices.Contains(sameInChinese, names[len(names)-1])
	expect.That(c.t, same || han(e.stdout+e.stderr), "in Chinese", e)
	expect.Contains(c.t, c.chinese.run(append(names[1:], "--help")...).stdout, "用法：", "help in Chinese")
	if e.stdout == "" || e.code != 0 {
		return
	}
	device := simtest.Must(os.OpenFile("/dev/full", os.O_WRONLY, 0))(c.t)
	defer device.Close()
	c.full.finish("", device, c.line()...).wantCode(c.t, 1).says(c.t, "no space left")
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
		must(c.t, json.Unmarshal([]byte(e.stdout), &d))
		expect.Equal(c.t, e.code, want, "--json", e.stdout, e.stderr)
		expect.That(c.t, strings.HasSuffix(e.stdout, "}\n"), "--json", e.stdout)
		failed, _ := d["error"].(string)
		expect.That(c.t, e.code != 2 || failed != "" && d["exit_code"] == 2.0, "the document of a failure", e.stdout)
	}
	e := c.full.run(c.line("--json", "--nonsense")...).wantCode(c.t, 2)
	expect.That(c.t, json.Valid([]byte(e.stdout)), "--json --nonsense", e)
	e = c.full.run(c.line("--jq", "keys | length")...).wantCode(c.t, c.use.code)
	expect.That(c.t, e.code != 0 || strings.Trim(e.stdout, "0123456789") == "\n", "--jq", e)
}
