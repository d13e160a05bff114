package form

// fit sets what depends on the size and on what the form shows: the cells of the
// prompts, the scroll position, the place of an open list. Everything that
// changes the form ends with it, so that drawing changes nothing.
func (f *Form) fit() {
	f.tall = max(f.tall, f.promptLines())
	f.fitPrompts()
	if tall := f.grown(); tall != f.tall {
		f.tall = tall
		f.fitPrompts()
	}
	f.follow()
	if f.menu != nil {
		x, y, _ := f.Cursor()
		if !f.menu.loose {
			x, y = f.at(f.focus)
		}
		f.menu.fit(x, y, f.width, f.height)
	}
}

// promptLines is how high a prompt is at least: a share of the form that does
// not depend on what else it shows, so that nothing jumps.
func (f *Form) promptLines() int {
	return min(max(f.height*3/10, f.height-24, 3), 28)
}

func (f *Form) fitPrompts() {
	for _, row := range f.rows {
		if p, ok := row[0].(*Prompt); ok && p.Lines > 0 {
			p.resize(f.width, p.Lines)
		} else if ok {
			p.resize(f.width, f.tall)
		}
	}
}

// grown is how high the prompt should be: a long text gets the lines that
// nothing else needs, and a short one gives up blank lines before the form
// scrolls.
func (f *Form) grown() int {
	least := f.promptLines()
	for _, row := range f.rows {
		p, ok := row[0].(*Prompt)
		if !ok || p.hidden || p.Lines > 0 {
			continue
		}
		text, rest := p.wrap.Len(), f.height-(f.Height()-p.height)
		least = min(least, max(rest, text+1, 2))
		return min(max(text, least), max(rest, least))
	}
	return least
}

// follow scrolls so that the focused field is in view, its cursor above all.
func (f *Form) follow() {
	p := f.page()
	if !f.loose {
		if p.to > f.scroll+f.height {
			f.scroll = p.to - f.height
		}
		if p.from < f.scroll {
			f.scroll = p.from
		}
		if p.y >= f.scroll+f.height {
			f.scroll = p.y - f.height + 1
		}
		if p.y < f.scroll {
			f.scroll = p.y
		}
	}
	f.scroll = min(max(f.scroll, 0), max(len(p.lines)-f.height, 0))
}
