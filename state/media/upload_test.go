package media

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpload: the command gets its words as they are, with the file in its place
// and without our variables; what it writes last has to be a public address.
func TestUpload(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/boat.png", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	f := fetcherAt(server.URL)
	f.probe.Transport = server.Client().Transport
	dir := t.TempDir()
	file := filepath.Join(dir, "my $(touch evil) boat.png")
	seen := filepath.Join(dir, "seen")
	noError(t, os.WriteFile(file, []byte("x"), 0o600))
	command := func(lines ...string) []string {
		return []string{script(t, "up", lines...), "copy to", "{file}", "there:{file}"}
	}
	env := append(os.Environ(), "DARKROOM_API_KEY=ak_secret", "MINE=1")
	good := command(`printf '%s\n' "$@" > '`+seen+`'`, `env >> '`+seen+`'`, "echo 10% done", "echo "+server.URL+"/boat.png", "echo")
	if got, err := f.Upload(t.Context(), good, file, env); err != nil || got != server.URL+"/boat.png" {
		t.Fatalf("%q, %v", got, err)
	}
	text, err := os.ReadFile(seen)
	if err != nil || !strings.HasPrefix(string(text), "copy to\n"+file+"\nthere:"+file+"\n") || strings.Contains(string(text), "DARKROOM_") || !strings.Contains(string(text), "MINE=1") {
		t.Errorf("the command saw %q (%v)", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "evil")); err == nil {
		t.Error("a shell took the file's name apart")
	}
	for name, c := range map[string]struct {
		command []string
		file    string
		want    string
	}{
		"not public":     {command("echo " + server.URL + "/gone.png"), file, "is 404 for the public"},
		"no https":       {command("echo http://cdn.example.com/a.png"), file, "no https:// address"},
		"nothing":        {command("true"), file, "no https:// address"},
		"failed":         {command("echo no space left >&2", "exit 3"), file, "failed: no space left"},
		"no command":     {[]string{filepath.Join(dir, "none"), "{file}"}, file, "is not there"},
		"none set":       {nil, file, "no upload command"},
		"no file":        {good, filepath.Join(dir, "none.png"), "is not there"},
		"a folder":       {good, dir, "is no file"},
		"a relative one": {good, "boat.png", "is no absolute path"},
	} {
		if got, err := f.Upload(t.Context(), c.command, c.file, env); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
