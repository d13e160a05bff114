package words

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// below translates whole sentences that came from the rooms below, which speak
// English. Each is a format whose blanks (%s) stand for what differs: a path, a
// figure, or another sentence, which is translated too.
type below struct {
	says   map[string]string // the screens' and commands' own; nil for English
	once   sync.Once
	whole  map[string]string
	shapes []shape
}

// shape is a format taken apart at its blanks.
type shape struct {
	parts []string
	zh    string
	wide  bool // it has few words of its own: its first blank has to be a sentence of ours
}

// deepest bounds sentences within sentences.
const deepest = 4

func (b *below) build() {
	b.whole = map[string]string{}
	for _, pair := range slices.Concat(chineseSettings, chineseBelow, chineseGalleryBelow) {
		en, zh := pair[0], pair[1]
		if parts := strings.Split(en, "%s"); len(parts) > 1 {
			b.shapes = append(b.shapes, shape{parts, zh, len(strings.Join(parts, "")) < 8})
		} else {
			b.whole[en] = zh
		}
	}
}

// look translates a sentence, or gives it back.
func (b *below) look(sentence string, depth int) string {
	if depth > deepest {
		return sentence
	}
	b.once.Do(b.build)
	if zh, ok := b.whole[sentence]; ok {
		return zh
	}
	// A single word is more likely the service's own than one of our labels.
	if zh, ok := b.says[sentence]; ok && strings.Contains(sentence, " ") {
		return zh
	}
	for i := range b.shapes {
		args, ok := b.shapes[i].match(sentence)
		if !ok {
			continue
		}
		first := args[0]
		for n, a := range args {
			args[n] = b.look(a.(string), depth+1)
		}
		if b.shapes[i].wide && args[0] == first {
			continue // the service's own words
		}
		return fmt.Sprintf(b.shapes[i].zh, args...)
	}
	// What happened, and what to do: "…; …".
	if at := strings.LastIndex(sentence, "; "); at > 0 {
		left, right := sentence[:at], sentence[at+2:]
		if zh := b.look(right, depth+1); zh != right {
			return b.look(left, depth+1) + "；" + zh
		}
	}
	return sentence
}

// match finds what stands in the blanks.
func (s *shape) match(sentence string) ([]any, bool) {
	rest, ok := strings.CutPrefix(sentence, s.parts[0])
	if !ok {
		return nil, false
	}
	args := make([]any, 0, len(s.parts)-1)
	last := len(s.parts) - 1
	for _, part := range s.parts[1:last] {
		arg, after, ok := strings.Cut(rest, part)
		if !ok {
			return nil, false
		}
		args, rest = append(args, arg), after
	}
	arg, ok := strings.CutSuffix(rest, s.parts[last])
	if !ok || arg == "" {
		return nil, false
	}
	return append(args, arg), true
}
