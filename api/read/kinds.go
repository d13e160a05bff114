package read

import (
	"regexp"
	"strings"

	"darkroom/api"
)

// Directions such as text-to-video name what comes out last.
var (
	reToVideo = regexp.MustCompile(`(to|2)video|[ti]2v\b|\b[tivr]2v|videogen|videosgen|图生视频|文生视频`)
	reToImage = regexp.MustCompile(`(to|2)image|\b[ti]2i|imagegen|imagesgen|imageedit|文生图|图生图`)
)

// kind reads what a model makes: the words of its type, modality and
// category; the group it stands in; a direction in its id.
func (m *modelReader) kind(n *node, group api.Kind) api.Kind {
	if n.is(shapeObject) {
		for _, o := range []*node{n, n.get("architecture"), n.get("modelspec"), n.get("metadata"), n.get("info"), n.get("capabilities")} {
			for _, name := range m.list(listKind) {
				if k := outKind(o.get(name), 0); k != "" {
					m.found = append(m.found, o.get(name).found("model kind", string(k)))
					return k
				}
			}
		}
	}
	if group != "" {
		return group
	}
	if !n.is(shapeObject) {
		return directionKind(n.scalar())
	}
	for c := range n.children { // supported_output, task_category and the like
		if strings.HasSuffix(c.name, "type") || strings.HasSuffix(c.name, "category") || strings.Contains(c.name, "modalit") && !strings.Contains(c.name, "input") {
			if k := outKind(c, 0); k != "" {
				return k
			}
		}
	}
	for _, name := range m.list(listModelID) {
		if k := directionKind(n.get(name).scalar()); k != "" {
			return k
		}
	}
	return idKind(n)
}

// idKind reads a model's id whose own words name one kind: acme-image-1.
func idKind(n *node) api.Kind {
	id := n.any([]string{"id", "model", "modelid"}).scalar()
	if len(id) > maxID {
		return ""
	}
	video, image := false, false
	for _, word := range strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return r < 'a' || r > 'z' }) {
		video = video || word == "video" || word == "videos"
		image = image || word == "image" || word == "images"
	}
	return oneKind(video, image)
}

// outKind reads a word, a list of words, or an object of flags. Words that
// disagree give nothing.
func outKind(n *node, depth int) api.Kind {
	switch {
	case n == nil || depth > 2:
		return ""
	case n.is(shapeString):
		return wordKind(n.text)
	case n.is(shapeArray):
		var k api.Kind
		for c := range n.children {
			got := outKind(c, depth+1)
			if got != "" && k != "" && got != k {
				return ""
			}
			if got != "" {
				k = got
			}
		}
		return k
	case n.is(shapeObject):
		if out := n.any([]string{"output", "outputs", "outputmodalities", "outputmodality"}); out != nil {
			return outKind(out, depth+1)
		}
		if name := n.any([]string{"name", "slug", "code"}); name.is(shapeString) {
			return wordKind(name.text)
		}
		var k api.Kind
		for c := range n.children { // {"text_to_video": true}
			if got := directionKind(c.name); got != "" && c.shape == shapeBool && c.says() {
				if k != "" && k != got {
					return ""
				}
				k = got
			}
		}
		return k
	}
	return ""
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
	video := strings.Contains(f, "video") || strings.Contains(f, "视频")
	image := strings.Contains(f, "image") || strings.Contains(f, "picture") || strings.Contains(f, "photo") || strings.Contains(f, "图")
	return oneKind(video, image)
}

// directionKind folds the word itself, so that a text of megabytes is left out
// before any work is done on it.
func directionKind(word string) api.Kind {
	if len(word) > maxWord {
		return ""
	}
	f := fold(word)
	if !strings.ContainsAny(f, "2图视") && !strings.Contains(f, "to") && !strings.Contains(f, "gen") && !strings.Contains(f, "edit") {
		return ""
	}
	video, image := reToVideo.MatchString(f), reToImage.MatchString(f)
	return oneKind(video, image)
}
