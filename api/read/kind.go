package read

import (
	"cmp"
	"strings"

	"darkroom/api"
)

// Directions such as text-to-video name what comes out last.
var (
	reToVideo = api.Pattern(`(to|2)video|[ti]2v\b|\b[tivr]2v|videogen|videosgen|图生视频|文生视频`)
	reToImage = api.Pattern(`(to|2)image|\b[ti]2i|imagegen|imagesgen|imageedit|文生图|图生图`)
)

// kind reads what a model makes: the words of its type, modality and
// category; the group it stands in; a direction in its id.
func (m *modelReader) kind(n *node, group api.Kind) api.Kind {
	for _, o := range n.places(append([]string{""}, words().KindNodes...)...) {
		for c := range o.each(m.KindKeys) {
			if k := outKind(c, 0); k != "" {
				m.found = append(m.found, c.found("model kind", string(k)))
				return k
			}
		}
	}
	if group != "" || !n.is(shapeObject) {
		return cmp.Or(group, directionKind(n.scalar()))
	}
	for c := range n.children { // supported_output, task_category and the like
		if words().KindEnds.match(c.name) && (!strings.Contains(c.name, "input") || !strings.Contains(c.name, "modalit")) {
			if k := outKind(c, 0); k != "" {
				return k
			}
		}
	}
	for c := range n.each(m.ModelIDKeys) {
		if k := directionKind(c.scalar()); k != "" {
			return k
		}
	}
	id := n.any(words().PlainIDs).scalar() // one whose own words name one kind: acme-image-1
	video, image := false, false
	for _, word := range strings.FieldsFunc(strings.ToLower(id[:min(len(id), maxID)]), func(r rune) bool { return r < 'a' || r > 'z' }) {
		word = strings.TrimSuffix(word, "s")
		video, image = video || word == "video", image || word == "image"
	}
	return oneKind(video, image)
}

// outKind reads a word, a list of words, or an object of flags. Words that
// disagree give nothing.
func outKind(n *node, depth int) api.Kind {
	if n.is(shapeString) && depth <= 2 {
		return wordKind(n.text)
	}
	if depth > 2 || !n.is(shapeArray) && !n.is(shapeObject) {
		return ""
	}
	if out := n.any(words().OutKeys); out != nil {
		return outKind(out, depth+1)
	}
	if name := n.any(words().KindNameKeys); name.is(shapeString) {
		return wordKind(name.text)
	}
	kinds := map[api.Kind]bool{}
	for c := range n.children {
		switch {
		case n.is(shapeArray):
			kinds[outKind(c, depth+1)] = true
		case c.is(shapeBool) && c.says(): // {"text_to_video": true}
			kinds[directionKind(c.name)] = true
		}
	}
	return oneKind(kinds[api.KindVideo], kinds[api.KindImage])
}

func wordKind(s string) api.Kind {
	if len(s) > maxWord {
		return ""
	}
	f := fold(s)
	if k := directionKind(f); k != "" {
		return k
	}
	if i := strings.LastIndex(s, "->"); i >= 0 { // text+image->video
		return wordKind(s[i+2:])
	}
	return oneKind(words().VideoWords.match(f), words().ImageWords.match(f))
}

func directionKind(word string) api.Kind {
	f := foldWord(word)
	if !words().DirectionHints.match(f) {
		return ""
	}
	return oneKind(reToVideo().MatchString(f), reToImage().MatchString(f))
}
