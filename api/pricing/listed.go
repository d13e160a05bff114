package pricing

import "darkroom/api"

// Listed is the listed price of a model where it is that of the choice: the price
// of one image or call of the default size and quality.
func Listed(m api.Model, r api.Request) (api.Credits, bool) {
	if m.Price == nil || m.Price.Unit != "image" && m.Price.Unit != "call" {
		return 0, false
	}
	usual := func(value string, names ...string) bool {
		p, ok := m.Parameter(names...)
		return !ok || value == "" || p.Default == value
	}
	if !usual(r.Size, api.FieldSize, "image_size") || !usual(r.Quality, api.FieldQuality) {
		return 0, false
	}
	return m.Price.Credits, true
}
