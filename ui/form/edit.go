package form

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/widget"
)

// Keys of the prompt; widget.Line has those of one line, without a selection:
//
//	←/→, ctrl+←/→ or alt+b/f    by character, by word; with shift: select
//	home/end                    of the visible line
//	ctrl+home/ctrl+end          of the text
//	backspace, delete           the selection, else a character
//	ctrl+w, alt+backspace       the word before;  alt+d the word after
//	ctrl+u                      to the start of the paragraph
//	ctrl+a                      select all
//
// The form takes alt+z or ctrl+_ and alt+y, undo and redo (ctrl+z suspends the
// program).

// motion takes a key that moves the cursor along the text.
func (b *buffer) motion(key string) bool {
	extend := false
	for _, p := range [...]struct{ with, without string }{
		{"shift+left", "left"}, {"shift+right", "right"},
		{"ctrl+shift+left", "ctrl+left"}, {"ctrl+shift+right", "ctrl+right"},
		{"alt+shift+left", "ctrl+left"}, {"alt+shift+right", "ctrl+right"},
		{"ctrl+shift+home", "ctrl+home"}, {"ctrl+shift+end", "ctrl+end"},
	} {
		if key == p.with {
			key, extend = p.without, true
			break
		}
	}
	from, to := b.selection()
	switch key {
	case "left", "ctrl+b":
		if !extend && from != to {
			b.move(from, false)
			return true
		}
		b.move(b.at-1, extend)
	case "right", "ctrl+f":
		if !extend && from != to {
			b.move(to, false)
			return true
		}
		b.move(b.at+1, extend)
	case "ctrl+left", "alt+left", "alt+b":
		b.move(widget.WordLeft(b.clusters, b.at), extend)
	case "ctrl+right", "alt+right", "alt+f":
		b.move(widget.WordRight(b.clusters, b.at), extend)
	case "ctrl+home", "alt+<":
		b.move(0, extend)
	case "ctrl+end", "alt+>":
		b.move(len(b.clusters), extend)
	case "ctrl+a":
		b.anchor, b.at, b.tail, b.run = 0, len(b.clusters), false, editOther
	default:
		return false
	}
	return true
}

// change takes a key that changes the text. unit, when set, gives the start of
// what one backspace takes at once before cluster i.
func (b *buffer) change(k tea.KeyPressMsg, key string, unit func(i int) int) bool {
	from, to := b.selection()
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		if from == to && from > 0 {
			from--
			if unit != nil {
				from = unit(to)
			}
		}
		b.erase(from, to)
	case "delete", "ctrl+d":
		if from == to {
			to = min(to+1, len(b.clusters))
		}
		b.erase(from, to)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		if from == to {
			from = widget.WordLeft(b.clusters, to)
		}
		b.erase(from, to)
	case "alt+d", "ctrl+delete", "alt+delete":
		if from == to {
			to = widget.WordRight(b.clusters, from)
		}
		b.erase(from, to)
	case "ctrl+u":
		if from == to {
			for from > 0 && b.clusters[from-1].Class != widget.ClassBreak {
				from--
			}
		}
		b.erase(from, to)
	default:
		if !typed(k) {
			return false
		}
		b.insert(k.Text, editType)
	}
	return true
}

// typed reports whether the key is text for a field.
func typed(k tea.KeyPressMsg) bool {
	return k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0
}
