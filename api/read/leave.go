package read

import (
	"strings"

	"darkroom/api"
)

// leaveOut tells members that are not outputs: echoes, bookkeeping, side
// assets, addresses of other things.
func (h *harvest) leaveOut(c, parent *node) bool {
	name := c.name
	alone := strings.HasPrefix(name, "origin") && c.is(shapeString) && parent.size == 1 // the original of nothing else
	if (skipped[name] || sideKey(name)) && !alone || inputKey(name) || foreignURL(name) || strings.HasPrefix(name, "audio") {
		return true
	}
	if name == "min" && parent.get("raw") != nil {
		return true
	}
	if h.errorNode(c) || h.echo(c, parent) {
		return true
	}
	return weakURL(name) && !h.loose && parent == h.root && mediaSuffix(c.scalar()) == ""
}

// echo tells the request's own image_url and video_url, which some services
// repeat flat in the job: beside the prompt, or in a job without a status. Of a
// finished video an image beside the prompt is its input. A request's own fields
// are plain addresses; objects that describe a file, and an address beside the
// image's own id, are outputs.
func (h *harvest) echo(c, parent *node) bool {
	name := c.name
	if name != "imageurl" && name != "videourl" && name != "images" && name != "image" && name != "imageurls" && name != "video" {
		return false
	}
	if !h.isScope(parent) || c.is(shapeObject) || c.first.is(shapeObject) || parent.any(assetIDs) != nil {
		return false
	}
	prompt := parent.get("prompt") != nil
	if h.finished {
		return prompt && h.kind == api.KindVideo && keyKind(name) == api.KindImage
	}
	return prompt || h.status == nil && h.idIn(parent) != nil && strings.HasSuffix(name, "url")
}

// assetIDs name a file that was made, not the job.
var assetIDs = []string{"imageuuid", "imageid", "videouuid"}

// errorNode tells members with words for people. A message may be an object
// that holds outputs, and of a finished job a plain address of a file.
func (h *harvest) errorNode(c *node) bool {
	switch c.name {
	case "error", "errors":
		return true
	case "message", "msg", "detail", "failreason":
		return c.is(shapeString) && !(h.finished && isAddress(c.text) && mediaSuffix(c.text) != "")
	}
	return false
}

// mediaKey tells names that hold an output's address by their look.
func mediaKey(name string) bool {
	for _, w := range [...]string{"url", "image", "img", "video", "output", "result", "file", "media", "asset", "artifact", "download"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// sideKey tells side assets, which are not outputs.
func sideKey(name string) bool {
	for _, w := range [...]string{"thumb", "cover", "poster", "preview", "lastframe", "firstframe", "watermark", "grid",
		"videoraw", "progressvideo", "proxy", "origin", "sprite", "icon", "avatar", "logo", "placeholder", "blurhash", "gif",
		"storyboard", "keyframe", "snapshot", "tailframe", "endframe", "startframe", "lowres"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// inputKey tells echoes of the request by the spec's own field names and
// their relatives.
func inputKey(name string) bool {
	switch name {
	case "endimageurl", "imagefiles", "videofiles", "audiofiles":
		return true
	}
	for _, w := range [...]string{"input", "reference", "sourceimage", "sourcevideo", "sourceurl", "initimage", "startimage", "endimage", "mask", "prompt",
		"param", "request", "refimage", "uploaded", "conditioning"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// foreignURL tells addresses of pages and calls instead of files.
func foreignURL(name string) bool {
	for _, w := range [...]string{"statusurl", "pollurl", "pollingurl", "responseurl", "cancel", "webhook", "callback",
		"docs", "future", "fetchresult", "queueurl", "streamurl", "logsurl", "shareurl", "pageurl", "website", "helpurl",
		"upgrade", "schema", "readme", "license", "termsurl", "supporturl", "billingurl", "deleteurl", "weburl"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return name == "get" || name == "self" || name == "next" || name == "previous"
}

// weakURL names may hold the address of a result that is yet to come.
func weakURL(name string) bool {
	return strings.Contains(name, "download") || name == "link" || name == "href" || name == "resulturl" || name == "contenturl"
}
