package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"
)

// Estimate is the price of exactly one request.
type Estimate struct {
	Credits Credits         `json:"credits"`
	Source  Source          `json:"source"`
	At      time.Time       `json:"at,omitzero"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	// Unit is what the service's amount counts when that is not credits, such
	// as "USD", or what it is the price of when that is a part of the request,
	// such as "second". Such an amount is no figure of credits.
	Unit string `json:"unit,omitempty"`
	// Differs says that the service and the rate table have different figures
	// for the request. They are Service and Table; Credits is the higher one and
	// Source names whose it is.
	Differs bool    `json:"differs,omitempty"`
	Service Credits `json:"service,omitempty"`
	Table   Credits `json:"table,omitempty"`
	// Sent is what the same parameters cost when a request was last accepted with
	// them, and SentAt when that was; zero when none was.
	Sent   Credits   `json:"sent,omitempty"`
	SentAt time.Time `json:"sent_at,omitzero"`
}

// Dearer reports whether the parameters cost more than when they were last sent.
func (e Estimate) Dearer() bool { return e.Known() && !e.SentAt.IsZero() && e.Credits > e.Sent }

// Known reports whether the estimate has a figure of credits.
func (e Estimate) Known() bool {
	return e.Unit == "" && (e.Source == SourceService || e.Source == SourceTable)
}

// UnitSecond is the Unit of a price of one second of video.
const UnitSecond = "second"

// Total turns a price of one second into the price of the request, when that is
// for a video of a number of seconds. Every other estimate stays as it is.
func (e Estimate) Total(r Request) Estimate {
	seconds, ok := secondsOf(r)
	if e.Unit != UnitSecond || !ok || e.Credits > MaxCredits/maxTableSeconds {
		return e
	}
	// Credits and seconds are millionths both; the product is rounded up.
	whole, part := e.Credits/Credit, e.Credits%Credit
	e.Credits, e.Unit = (whole * seconds).Plus((part*seconds+Credit-1)/Credit), ""
	return e
}

// WithTable compares a figure of the service with the rate table's, where that
// has one for the request: the higher one counts, and both are kept when they
// differ. Of a request that leaves a part of the price open the table has the
// least that it can be; a figure above that agrees with it.
func (e Estimate) WithTable(r Request) Estimate {
	table := leastByTable(r)
	if !e.Known() || e.Source != SourceService || !table.Known() || e.Credits == table.Credits ||
		e.Credits > table.Credits && !TableEstimate(r).Known() {
		return e
	}
	e.Differs, e.Service, e.Table = true, e.Credits, table.Credits
	if table.Credits > e.Credits {
		e.Credits, e.Source = table.Credits, SourceTable
	}
	return e
}

// FreshFor is how old a figure of the service may be to count for a limit.
const FreshFor = time.Minute

// Current is the figure that counts at now, and whether it is e: one of the
// service that is older than FreshFor is not known any more, and the rate
// table's takes its place where there is one.
func (e Estimate) Current(r Request, now time.Time) (Estimate, bool) {
	if e.Source != SourceService || now.Sub(e.At) <= FreshFor {
		return e, true
	}
	return TableEstimate(r), false
}

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
