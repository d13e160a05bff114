package state

import "testing"

func TestLocalFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/home/you/a.png": "/home/you/a.png", "~/a.png": "/home/you/a.png", "'/tmp/my a.png'": "/tmp/my a.png", `"/tmp/a.png"`: "/tmp/a.png",
		`/tmp/my\ a.png`: "/tmp/my a.png", "file:///tmp/a%20b.png": "/tmp/a b.png", " /tmp/../etc/a ": "/etc/a",
		"https://a.example/b": "", "//a.example/b": "", "a.png": "", "/": "", "": "", "file://host/a": "", "/a\x00b": "",
	} {
		got, ok := LocalFile(text, "/home/you")
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q (%t), want %q", text, got, ok, want)
		}
	}
}
