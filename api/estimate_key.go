package api

import (
	"net/url"
	"slices"
)

// estimated are the fields of "GET or POST /api/v1/pricing/estimate", in the
// order of its table behind model.
var estimated = []string{FieldDuration, FieldVideoModel, FieldResolution, FieldSize, FieldQuality, FieldAspectRatio}

// EstimateQuery gives the parameters of the estimate as the spec encodes them
// for GET. Size and ratio have the names the model lists.
func (r Request) EstimateQuery(m Model) url.Values {
	q := url.Values{FieldModel: {r.Model}}
	r.eachEstimated(m, func(name, value string) { q.Set(name, value) })
	return q
}

// EstimateBody gives the same parameters as a flat JSON object for POST, whose
// encoding the spec does not show.
func (r Request) EstimateBody(m Model) []byte {
	w := Object{}
	w.text(FieldModel, r.Model)
	r.eachEstimated(m, func(name, value string) {
		if name == FieldDuration {
			w.Raw(name, durationJSON(value))
			return
		}
		w.text(name, value)
	})
	return w.JSON()
}

// Estimated reports whether the estimate depends on the field.
func Estimated(field string) bool {
	return field == FieldModel || slices.Contains(estimated, field)
}

// EstimateKey identifies the question that an estimate answers: the kind, which
// the rate table depends on, and the parameters of EstimateQuery with their
// names. Requests with equal keys have the same estimate, so whoever asks for,
// remembers or compares estimates does it under this key.
func (r Request) EstimateKey(m Model) string {
	return string(r.Kind) + "?" + r.EstimateQuery(m).Encode()
}

// eachEstimated calls do for each parameter of the estimate that is set, except
// the model, in the order of the spec's table.
func (r *Request) eachEstimated(m Model, do func(name, value string)) {
	all := fieldsOf(r.Kind)
	for _, name := range estimated {
		for _, f := range all {
			if f.name != name {
				continue
			}
			texts := f.texts(r)
			if len(texts) == 0 {
				continue
			}
			switch name {
			case FieldSize:
				name = r.listedName(m, FieldSize, "image_size")
			case FieldAspectRatio:
				name = r.ratioName(m)
			}
			do(name, texts[0])
		}
	}
}
