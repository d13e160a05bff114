package api

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	prompt := "船【@图片1】和【@音频12】【@视频3】【@图片01】【@图片】【@人物1】【@图片1 】【@【@图片2】"
	var got []string
	for _, k := range Tokens(prompt) {
		got = append(got, prompt[k.Start:k.End])
		if s := string([]rune(prompt)[k.RuneStart:k.RuneEnd]); s != prompt[k.Start:k.End] {
			t.Errorf("runes tell %q", s)
		}
		if k.Number != 0 && TokenText(k.Kind, k.Number) != prompt[k.Start:k.End] {
			t.Errorf("%+v is written otherwise", k)
		}
	}
	if want := "【@图片1】 【@音频12】 【@视频3】 【@图片01】 【@图片2】"; strings.Join(got, " ") != want {
		t.Errorf("tokens %q", got)
	}
}

func TestRenumberTokens(t *testing.T) {
	t.Parallel()
	prompt := "【@图片1】a【@图片2】b【@音频1】c【@图片3】"
	got := RenumberTokens(prompt, MaterialImage, map[int]int{1: 2, 2: 1, 3: 0})
	if want := "【@图片2】a【@图片1】b【@音频1】c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := RenumberTokens(prompt, MaterialVideo, map[int]int{1: 2}); got != prompt {
		t.Errorf("another kind changed: %s", got)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("【@图片1】【@图片99999999999999】\xff【@")
	f.Fuzz(func(t *testing.T, prompt string) {
		for _, k := range Tokens(prompt) {
			if !strings.HasPrefix(prompt[k.Start:k.End], "【@"+string(k.Kind)) || k.RuneStart != utf8.RuneCountInString(prompt[:k.Start]) {
				t.Errorf("%+v in %q", k, prompt)
			}
		}
		if got := RenumberTokens(prompt, MaterialImage, map[int]int{1: 1, 2: 2}); got != prompt {
			t.Errorf("%q becomes %q", prompt, got)
		}
	})
}
