package tools

import "darkroom/ui/env"

// page is what stands where there is room for one pane.
type page int

const (
	pageBoth page = iota // the tools and the selected one side by side
	pageList
	pageTool
	pageAnswer
)

func (s *Screen) page() page {
	switch _, right := s.split(); {
	case right > 0:
		return pageBoth
	case s.on == onList || s.list.selected().Name == "":
		return pageList
	case s.on == onAnswer:
		return pageAnswer
	}
	return pageTool
}

// toolKey is what the pane of the selected tool depends on.
type toolKey struct {
	env.Look
	page     page
	version  int64 // of the tools
	at, w, h int
	on       pane
	form     *toolForm
	edits    int64
	place    layoutPlace
	answer   *answer
	fitted   answerKey
	offset   int
	call     *call
	progress int64 // the version of the call
}

func (s *Screen) toolKey(w int) toolKey {
	key := toolKey{Look: s.k.Look(), page: s.page(), version: s.list.version, at: s.list.at, w: w, h: s.h, on: s.on, place: s.place.layoutPlace}
	if s.list.selected().Name == "" {
		return key
	}
	key.form = s.form()
	key.edits = key.form.Version()
	if a := s.answer(); a != nil {
		key.answer, key.fitted, key.offset = a, a.fitted, a.scroll.Offset()
	}
	if s.running() {
		key.call, key.progress = s.call, s.call.version
	}
	return key
}

// bodyKey is what the whole screen depends on.
type bodyKey struct {
	list listKey
	tool toolKey
}

// View joins the panes, or shows the one that has the keys.
func (s *Screen) View() []string {
	left, right := s.split()
	var key bodyKey
	page := s.page()
	switch page {
	case pageBoth:
		key = bodyKey{s.listKey(left), s.toolKey(right)}
	case pageList:
		key.list = s.listKey(left)
	default:
		key.tool = s.toolKey(left)
	}
	return s.drawn.body.Get(key, func() []string {
		switch page {
		case pageBoth:
			return s.drawn.beside.Join(s.drawn.list.Get(key.list, func() []string { return s.listLines(key.list) }), s.toolPane(key.tool))
		case pageList:
			return s.listLines(key.list)
		}
		return s.toolPane(key.tool)
	})
}

func (s *Screen) toolPane(key toolKey) []string {
	return s.drawn.tool.Get(key, func() []string {
		if key.page == pageAnswer {
			return s.answerLines(key.w)
		}
		return s.toolLines(key.w)
	})
}
