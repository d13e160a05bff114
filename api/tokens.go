package api

import (
	"strconv"
	"strings"
)

// MaterialKind is what a prompt reference names: an image, a video or an audio.
type MaterialKind string

// The three kinds of materials, spelt as the tokens spell them.
const (
	MaterialImage MaterialKind = "图片"
	MaterialVideo MaterialKind = "视频"
	MaterialAudio MaterialKind = "音频"
)

var materialKinds = []MaterialKind{MaterialImage, MaterialVideo, MaterialAudio}

// Token is a prompt reference such as 【@图片1】 ("Prompt references").
type Token struct {
	Kind       MaterialKind
	Number     int // counted from 1; 0 if its digits are not such a number
	Start, End int // bytes of the prompt
}

// TokenText gives the token of a material, such as 【@音频2】.
func TokenText(kind MaterialKind, number int) string {
	return tokenOpen + string(kind) + strconv.Itoa(number) + tokenClose
}

const (
	tokenOpen  = "【@"
	tokenClose = "】"
	maxDigits  = 9
)

// Tokens gives the prompt's references in their order.
func Tokens(prompt string) []Token {
	var out []Token
	for at := 0; ; {
		i := strings.Index(prompt[at:], tokenOpen)
		if i < 0 {
			return out
		}
		at += i
		t, ok := tokenAt(prompt, at)
		if !ok {
			at += len(tokenOpen)
			continue
		}
		out = append(out, t)
		at = t.End
	}
}

func tokenAt(prompt string, start int) (Token, bool) {
	rest := prompt[start+len(tokenOpen):]
	for _, kind := range materialKinds {
		digits, ok := strings.CutPrefix(rest, string(kind))
		if !ok {
			continue
		}
		n := 0
		for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
			n++
		}
		if n == 0 || !strings.HasPrefix(digits[n:], tokenClose) {
			return Token{}, false
		}
		number := 0
		if digits[0] != '0' && n <= maxDigits {
			number, _ = strconv.Atoi(digits[:n])
		}
		end := start + len(tokenOpen) + len(kind) + n + len(tokenClose)
		return Token{Kind: kind, Number: number, Start: start, End: end}, true
	}
	return Token{}, false
}

// Materials gives the addresses that tokens of a kind count, in their order:
// number n is the element n-1. The spec says "the first image" and leaves
// image_url together with image_files open; here the single address comes first.
// In first_last_frame mode the images are the first and the last frame.
func (r Request) Materials(kind MaterialKind) []string {
	switch kind {
	case MaterialImage:
		if r.Mode() == ModeFirstLastFrame {
			return joined(r.ImageURL, joined(r.EndImageURL, nil))
		}
		return joined(r.ImageURL, r.ImageFiles)
	case MaterialVideo:
		return joined(r.VideoURL, r.VideoFiles)
	case MaterialAudio:
		return joined("", r.AudioFiles)
	}
	return nil
}

func joined(first string, rest []string) []string {
	if first == "" {
		return rest
	}
	return append([]string{first}, rest...)
}
