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
		if k.Number != 0 && TokenText(k.Kind, k.Number) != prompt[k.Start:k.End] {
			t.Errorf("%+v is written otherwise", k)
		}
	}
	if want := "【@图片1】 【@音频12】 【@视频3】 【@图片01】 【@图片2】"; strings.Join(got, " ") != want {
		t.Errorf("tokens %q", got)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("【@图片1】【@图片99999999999999】\xff【@")
	f.Fuzz(func(t *testing.T, prompt string) {
		for _, k := range Tokens(prompt) {
			if !strings.HasPrefix(prompt[k.Start:k.End], "【@"+string(k.Kind)) || !utf8.ValidString(prompt[k.Start:k.End]) {
				t.Errorf("%+v in %q", k, prompt)
			}
		}
	})
}
