package theme

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A compiled style writes what lipgloss would, on every kind of terminal.
func TestCompiledStylesWriteWhatLipglossRenders(t *testing.T) {
	t.Parallel()
	for _, on := range []Background{Unknown, Dark, Light} {
		for _, profile := range []colorprofile.Profile{colorprofile.Ascii, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
			th := Choice{}.Theme(on, profile)
			for name, s := range all(th) {
				if s.Style().GetUnderline() {
					continue // lipgloss underlines letter by letter
				}
				want := s.Style().Render("a 纸 b")
				if got := s.Paint("a 纸 b"); got != want {
					t.Errorf("%d %v %s: %q, lipgloss renders %q", on, profile, name, got, want)
				}
				var b strings.Builder
				if s.Write(&b, "a 纸 b"); b.String() != want {
					t.Errorf("%d %v %s: %q is written, lipgloss renders %q", on, profile, name, b.String(), want)
				}
				if s.Paint("") != "" {
					t.Errorf("%d %v %s: no text gets sequences", on, profile, name)
				}
			}
			if got := th.Tab.Paint("Jobs"); ansi.Strip(got) != "Jobs" || got == "Jobs" {
				t.Errorf("%d %v: the tab is %q", on, profile, got)
			}
		}
	}
}

// all are the styles of a theme by their names.
func all(th *Theme) map[string]Style {
	out := map[string]Style{"Tab": th.Tab, "Token": th.Token}
	for prefix, styles := range map[string]Styles{"": th.Styles, "Selected.": th.Selected} {
		v := reflect.ValueOf(styles)
		for i := range v.NumField() {
			out[prefix+v.Type().Field(i).Name] = v.Field(i).Interface().(Style)
		}
	}
	return out
}

func TestCompiledAttributesAreThoseOfLipgloss(t *testing.T) {
	t.Parallel()
	plain := lipgloss.NewStyle()
	for name, s := range map[string]lipgloss.Style{
		"plain": plain, "reverse": plain.Reverse(true), "bold": plain.Bold(true).Reverse(true),
		"background": plain.Background(lipgloss.Color("9")).Bold(true), "none": plain.Foreground(lipgloss.NoColor{}),
	} {
		if got, want := compile(s).Paint("x"), s.Render("x"); got != want {
			t.Errorf("%s: %q, lipgloss renders %q", name, got, want)
		}
	}
	if got, want := compile(plain.Underline(true)).Paint("x"), "\x1b[4mx\x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCompileKeepsAttributesAndColoursOnly(t *testing.T) {
	t.Parallel()
	s := lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#010203")).Background(lipgloss.Color("236"))
	want := "\x1b[1;38;2;1;2;3;48;5;236mx\x1b[m"
	for name, s := range map[string]lipgloss.Style{"plain": s, "framed": s.Padding(1).Border(lipgloss.RoundedBorder()), "wide": s.Width(20)} {
		c := compile(s)
		if got := c.Paint("x"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if fmt.Sprint(c.Style()) != fmt.Sprint(s) {
			t.Errorf("%s: its own style is another one", name)
		}
	}
	var zero Style
	if zero.Paint("x") != "x" || zero.Style().Render("x") != "x" {
		t.Error("the zero Style does not write plainly")
	}
}

// Without colours everything that has to differ does so by attributes.
func TestThemesWithoutColoursHaveNone(t *testing.T) {
	t.Parallel()
	th := Choice{}.Theme(Dark, colorprofile.Ascii)
	for _, s := range []Style{th.Text, th.Strong, th.Muted, th.Bad, th.Tab, th.Token, th.Selected.Text, th.Selected.Bad} {
		if got := s.Paint("x"); strings.Contains(got, "38;") || strings.Contains(got, "48;") || strings.Contains(got, "[3") {
			t.Errorf("%q has a colour", got)
		}
	}
	if th.Selected.Text.Paint("x") == th.Text.Paint("x") || th.Tab.Paint("x") == th.Muted.Paint("x") {
		t.Error("the selected row or the tab looks like the others")
	}
}

// BenchmarkStyle is what a word costs in a compiled style, and by lipgloss.
func BenchmarkStyle(b *testing.B) {
	s := Choice{}.Theme(Dark, colorprofile.TrueColor).Selected.Accent
	style := s.Style()
	b.Run("compiled", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Paint("paper boat")
		}
	})
	b.Run("lipgloss", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			style.Render("paper boat")
		}
	})
}

// BenchmarkNew is what a theme costs: at the start, and when the terminal says
// what it is.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Choice{}.Theme(Dark, colorprofile.TrueColor)
	}
}
