package run

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Columns are as wide as their widest cell in cells of the terminal, not in
// characters.
func TestTableOfWideCharacters(t *testing.T) {
	t.Parallel()
	for _, right := range []bool{false, true} {
		tab := Table{Right: right}
		tab.Add("完成", "图片", "x")
		tab.Add("done", "video", "x")
		tab.Add("é", "", "x")
		var out strings.Builder
		tab.Write(&out)
		for line := range strings.Lines(out.String()) {
			if at := ansi.StringWidth(line[:strings.Index(line, "x")]); !right && at != 13 || right && at != 6+7+2 {
				t.Errorf("right %v: the last column begins at %d in %q", right, at, line)
			}
		}
	}
	if got := Pad("密钥", 6); got != "密钥  " {
		t.Errorf("%q", got)
	}
}
