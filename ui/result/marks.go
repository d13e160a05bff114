package result

import "slices"

// Marks are results that a person has marked, in the order of marking. Places
// that belong together share them.
type Marks struct {
	ids   []string
	edits uint64
}

// Toggle marks a result, or takes its mark away.
func (m *Marks) Toggle(id string) {
	if i := slices.Index(m.ids, id); i >= 0 {
		m.ids = slices.Delete(m.ids, i, i+1)
	} else {
		m.ids = append(m.ids, id)
	}
	m.edits++
}

// Has reports whether a result is marked.
func (m *Marks) Has(id string) bool { return slices.Contains(m.ids, id) }

// Len is the number of marked results.
func (m *Marks) Len() int { return len(m.ids) }

// IDs are the marked results.
func (m *Marks) IDs() []string { return slices.Clone(m.ids) }

// Clear takes all marks away.
func (m *Marks) Clear() {
	if len(m.ids) > 0 {
		m.ids = nil
		m.edits++
	}
}

// Edits grows with every change.
func (m *Marks) Edits() uint64 { return m.edits }
