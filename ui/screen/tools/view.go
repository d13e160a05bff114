package tools

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

// View joins the panes, or shows the one that has the keys.
func (s *Screen) View() []string {
	left, right := s.split()
	switch s.page() {
	case pageBoth:
		return s.drawn.beside.Join(s.listLines(left), s.toolLines(right))
	case pageList:
		return s.listLines(left)
	case pageAnswer:
		return s.answerLines(left)
	}
	return s.toolLines(left)
}
