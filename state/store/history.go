package store

import (
	"context"
	"strings"
	"time"

	"darkroom/api"
)

// Sent is a request that was confirmed, with what became of it.
type Sent struct {
	Row
	Request api.Request
}

// HistoryQuery asks for requests that were confirmed.
type HistoryQuery struct {
	Contains string    // in the prompt, the model or the kind
	Since    time.Time // zero: all
	Starred  bool      // only those whose job has a star
	ByModel  bool      // only the one of each model that was accepted last
	Limit    int       // 0: 100
}

// History returns requests that were confirmed, newest first.
func (s *Store) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	where, args := []string{`hidden = 0`, `json_extract(details.request, '$.prompt') <> ''`}, []any{}
	if text := fold(strings.TrimSpace(q.Contains)); text != "" {
		where = append(where, `(json_extract(details.request, '$.prompt') IN (SELECT text FROM prompts WHERE instr(folded, ?)) OR instr(folded, ?))`)
		args = append(args, text, text)
	}
	if !q.Since.IsZero() {
		where, args = append(where, `created_at >= ?`), append(args, millis(q.Since))
	}
	if q.Starred {
		where = append(where, `pick > 0`)
	}
	if q.ByModel {
		where = append(where, `jobs.seq IN (SELECT CAST(value AS INTEGER) FROM notes WHERE substr(name, 1, length(?)) = ?)`)
		args = append(args, lastOfModel, lastOfModel)
	}
	return all(ctx, s.r, scanSent, `SELECT `+rowColumns+`, details.request FROM jobs JOIN details ON details.seq = jobs.seq
	  WHERE `+strings.Join(where, " AND ")+` ORDER BY jobs.seq DESC LIMIT ?`, append(args, q.Limit)...)
}

func scanSent(sc scanner) (one Sent, err error) {
	one.Row, err = scanRowAnd(sc, object{&one.Request})
	return one, err
}
