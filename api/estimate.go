package api

import (
	"encoding/json"
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
// differ.
func (e Estimate) WithTable(r Request) Estimate {
	table := TableEstimate(r)
	if !e.Known() || e.Source != SourceService || !table.Known() || e.Credits == table.Credits {
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
