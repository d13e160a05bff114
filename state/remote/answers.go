package remote

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Listing is the models with their age.
type Listing struct {
	Models []api.Model
	At     time.Time // when the service gave them; zero when never
	More   bool      // the service names a further page: models may be missing
	Cached bool      // from the store, because the service did not answer
	Err    error     // why the service did not answer
}

// KnownModels returns the last listing from the store, without a call.
func (r *Remote) KnownModels(ctx context.Context) Listing {
	base := r.Base()
	if base == nil {
		return Listing{Err: ErrNoBase}
	}
	l, err := r.storedModels(ctx, base.String())
	if err != nil || l.At.IsZero() {
		return Listing{Err: err}
	}
	seen, _ := r.seen(ctx, base.String())
	l.Models, l.More = r.ways(base.String()).ListRatio(l.Models), seen.MorePages
	return l
}

// storedModels reads the last listing of a service from the store. It is decoded
// once, as each estimate asks for its model; nobody changes its models.
func (r *Remote) storedModels(ctx context.Context, base string) (Listing, error) {
	r.mu.Lock()
	held := r.listings[base]
	r.mu.Unlock()
	raw, at, err := r.o.Store().Recall(ctx, cacheModels, base, held.At)
	switch {
	case err != nil, at.IsZero():
		return Listing{}, store.Explain(err)
	case raw == nil:
		return held, nil
	}
	held = Listing{At: at, Cached: true}
	if err := json.Unmarshal(raw, &held.Models); err != nil {
		return Listing{}, err
	}
	r.mu.Lock()
	r.listings[base] = held
	r.mu.Unlock()
	return held, nil
}

// Models asks the service, keeps the answer, and falls back to the last known.
func (r *Remote) Models(ctx context.Context) (listing Listing) {
	c, err := r.Ready()
	if err == nil {
		listing, err = shared(ctx, r, "models "+c.Base, func() (Listing, error) {
			models, more, err := c.Service.Models(r.ctx)
			if r.ObserveCall(c, err); err != nil {
				return Listing{}, err
			}
			now := time.Now()
			r.remember(cacheModels, c.Base, models, now)
			r.record(c.Base, func(seen *settings.Seen) { seen.MorePages = more })
			return Listing{Models: r.ways(c.Base).ListRatio(models), At: now, More: more}, nil
		})
	}
	if err != nil {
		listing = r.KnownModels(context.WithoutCancel(ctx))
		listing.Err = err
	}
	return listing
}

// Model is the listed model of an id, or the zero Model.
func (r *Remote) Model(ctx context.Context, base, id string) api.Model {
	held, _ := r.storedModels(ctx, base) // without a listing it is the zero Model
	m, _ := api.Find(held.Models, func(m api.Model) bool { return m.ID == id })
	return r.ways(base).ListRatio([]api.Model{m})[0]
}

// Unlisted reports whether the service's last listing is whole, without this model.
func (r *Remote) Unlisted(ctx context.Context, id string) bool {
	known := r.KnownModels(ctx)
	return len(known.Models) > 0 && !known.More && !slices.ContainsFunc(known.Models, func(m api.Model) bool { return m.ID == id })
}

// Profile is what is known of the service in use. It makes no call.
func (r *Remote) Profile(ctx context.Context) (settings.Profile, error) {
	base := r.Base()
	if base == nil {
		return settings.Profile{}, ErrNoBase
	}
	name := base.String()
	seen, err := r.seen(ctx, name)
	p := settings.Profile{Base: name, Set: r.ways(name), Seen: seen, Ratios: map[string][]string{}}
	for _, m := range r.KnownModels(ctx).Models {
		listed, _ := m.Parameter(api.FieldAspectRatio)
		p.Ratios[listed.Name] = append(p.Ratios[listed.Name], m.ID)
	}
	return p, err
}

func (r *Remote) ways(base string) settings.Ways { return r.o.Settings.Get().WaysFor(base) }

func (r *Remote) seen(ctx context.Context, base string) (settings.Seen, error) {
	seen, _, err := recall[settings.Seen](ctx, r, cacheProfile, base)
	return seen, err
}

// record changes what is known of a service.
func (r *Remote) record(base string, change func(*settings.Seen)) {
	r.profiles.Lock()
	defer r.profiles.Unlock()
	was, err := r.seen(context.WithoutCancel(r.ctx), base)
	now := was
	if change(&now); err != nil || now == was {
		return
	}
	now.At = time.Now().Round(0)
	r.remember(cacheProfile, base, now, now.At)
}

// RecordCreate takes what the answer to a create shows.
func (r *Remote) RecordCreate(base string, sync bool, out api.Outcome) {
	answers := map[api.Phase]string{api.PhaseQueued: settings.AnswersJob, api.PhaseFetching: settings.AnswersResult}[out.Phase]
	if answers == "" {
		return
	}
	r.record(base, func(seen *settings.Seen) {
		if sync {
			seen.AnswersSync = answers
		} else {
			seen.Answers = answers
		}
		if out.Phase == api.PhaseQueued {
			seen.JobID = out.Answer.IDPath
		}
	})
}

// AnswersAtOnce reports whether a create is answered with the result itself.
func (r *Remote) AnswersAtOnce(base string) bool {
	seen, _ := r.seen(r.ctx, base)
	return cmp.Or(r.ways(base).Answers, seen.Answers) == settings.AnswersResult
}

// estimatesKept are answered from memory, each with up to 64 KiB of the answer.
const estimatesKept = 100

// Estimate is the service's price of the request and what the same cost when it was
// last sent; with an error KnownEstimate.
func (r *Remote) Estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	if r.HoldsKey(req) {
		return api.Estimate{}, ErrHoldsKey
	}
	e, err := r.estimate(ctx, req)
	if err != nil {
		e = r.KnownEstimate(context.WithoutCancel(ctx), req)
	}
	if base := r.Base(); base != nil && e.Known() {
		e.Sent, e.SentAt, _ = r.o.Store().SentPrice(context.WithoutCancel(ctx), base.String(), req)
	}
	return e, err
}

// Price is the estimate that counts now, also that of the table.
func (r *Remote) Price(ctx context.Context, req api.Request) (api.Estimate, error) {
	e, err := r.Estimate(ctx, req)
	counts, _ := e.WithTable(req).Current(req, time.Now())
	return counts, err
}

// estimate gives the price of a request: the one that the service gave lately, else a new
// one, which is kept.
func (r *Remote) estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	c, err := r.Ready()
	if err != nil {
		return api.Estimate{}, err
	}
	model := r.Model(ctx, c.Base, req.Model)
	key := c.Base + " " + req.EstimateKey(model)
	r.mu.Lock()
	e, rest := r.estimates[key], c.unpriced
	r.mu.Unlock()
	age, known := e.Age(time.Now())
	switch {
	case known && age < r.scale.Of(api.FreshFor):
		return e, nil
	case time.Now().Before(rest):
		return e, api.Sentence("the price cannot be had just now: the service can be asked again at %v").Fault(ErrRests, rest.Format("15:04:05"))
	}
	return shared(ctx, r, "estimate "+key, func() (api.Estimate, error) {
		e, err := c.Service.Estimate(r.ctx, req, model)
		if fault, ok := errors.AsType[*api.Error](err); ok && fault.Status == 503 { // it may be of prices alone
			r.update(func(h *Health) {
				c.unpriced = time.Now().Add(r.scale.Of(api.ClampWait(cmp.Or(fault.RetryAfter, api.DefaultWait))))
				h.Online = true
			})
			return e, err
		}
		if r.ObserveCall(c, err); err != nil {
			return e, err
		}
		e.At = time.Now()
		r.mu.Lock()
		if len(r.estimates) >= estimatesKept {
			clear(r.estimates)
		}
		r.estimates[key] = e
		r.mu.Unlock()
		r.remember(cacheEstimates, key, e, e.At)
		return e, nil
	})
}

// KnownEstimate is the best figure for a request without a call: the table's,
// else the last one the service gave, with its age in At. One of the future is none.
func (r *Remote) KnownEstimate(ctx context.Context, req api.Request) api.Estimate {
	if e := api.TableEstimate(req); e.Known() {
		return e
	}
	if base := r.Base(); base != nil {
		key := base.String() + " " + req.EstimateKey(r.Model(ctx, base.String(), req.Model))
		e, at, _ := recall[api.Estimate](ctx, r, cacheEstimates, key)
		if _, known := e.Age(time.Now()); known && !at.IsZero() {
			return e
		}
	}
	return api.Estimate{Source: api.SourceNone}
}

// HoldsKey reports whether a request or a text holds the key in use.
func (r *Remote) HoldsKey(what any) bool {
	c := r.Connection()
	text, err := json.Marshal(what)
	return c != nil && err == nil && c.Key.In(text)
}

// Toolbox is what the service's tool-protocol entry offers, with its age.
type Toolbox struct {
	mcp.Listing
	Address string    // the entry's whole URL
	At      time.Time // when the service gave it
}

// KnownTools returns the last list from the store, or the zero Toolbox.
func (r *Remote) KnownTools(ctx context.Context) Toolbox {
	if base := r.Base(); base != nil {
		if l, at, _ := recall[mcp.Listing](ctx, r, cacheTools, base.String()); !at.IsZero() {
			return Toolbox{Listing: l, Address: mcp.Address(base, l.Path), At: at}
		}
	}
	return Toolbox{}
}

// Tools asks the tool-protocol entry for its tools: where a person has set it, where
// it answered before, or at the known places, each once.
func (r *Remote) Tools(ctx context.Context) (Toolbox, error) {
	c, err := r.Ready()
	if err != nil {
		return Toolbox{}, err
	}
	return shared(ctx, r, "tools "+c.Base, func() (Toolbox, error) {
		path, found, err := r.ToolsPath(r.ctx, c)
		if err != nil {
			return Toolbox{}, err
		}
		if path == "" && !r.Health().Online {
			// This distinguishes a refused key from a place without an entry.
			_, _, err := c.Service.Models(r.ctx)
			r.ObserveCall(c, err)
			if r.Health().KeyRefused {
				return Toolbox{}, ErrKeyRefused
			}
		}
		listing, err := c.Service.Tools(r.ctx, path)
		e, ok := errors.AsType[*api.Error](err)
		if ok && found && (e.Class == api.ClassNotFound || e.Class == api.ClassUnreadable || e.Status == 405) {
			listing, err = c.Service.Tools(r.ctx, "") // it may be elsewhere by now
		}
		if err = r.ObserveTool(r.ctx, c, err); err != nil {
			return Toolbox{}, err
		}
		if path == "" || found {
			r.record(c.Base, func(seen *settings.Seen) { seen.ToolsPath = listing.Path })
		}
		now := time.Now()
		r.remember(cacheTools, c.Base, listing, now)
		return Toolbox{Listing: listing, Address: mcp.Address(c.URL, listing.Path), At: now}, nil
	})
}

// ObserveTool is ObserveCall as far as the outcome is about the service. An entry
// that is not there, or wants another login, must not stop the polling of jobs:
// before the key counts as refused the service itself is asked.
func (r *Remote) ObserveTool(ctx context.Context, c *Connection, err error) error {
	e, ok := errors.AsType[*api.Error](err)
	switch {
	case !ok:
		r.ObserveCall(c, err)
	case RefusesKey(e):
		_, _, asked := c.Service.Models(ctx)
		r.ObserveCall(c, asked)
		if asked == nil {
			own := *e
			own.Class = api.ClassServer
			own.Text, own.Reason = api.Text{}, api.Sentence("the tool entry refused the key, although the service takes it").Reason()
			own.Do = api.Sentence("look on the service's site for how to log in there").Reason()
			return &own
		}
		if r.Health().KeyRefused {
			return ErrKeyRefused
		}
	case e.Class == api.ClassNetwork && !errors.Is(e.Cause, context.Canceled), e.Class == api.ClassRate:
		r.ObserveCall(c, err)
	}
	return err
}

// ToolsPath is where the entry is; found says that no person has set it.
func (r *Remote) ToolsPath(ctx context.Context, c *Connection) (path string, found bool, err error) {
	if set := r.ways(c.Base).ToolsPath; set != "" {
		if path, err = mcp.ParseEntryPath(c.URL, set); err != nil {
			err = &Refusal{Code: "not_sendable", Fault: *api.Sentence("tools_path in the settings file: %v").Fault(err, err)}
		}
		return path, false, err
	}
	seen, err := r.seen(ctx, c.Base)
	return seen.ToolsPath, seen.ToolsPath != "", err
}

// ToolClient is a ready configuration of another program, as --json prints it. It
// names the variable that holds the key, never the key.
type ToolClient struct {
	Name string `json:"name"` // a short word to choose it by
	File string `json:"file"` // where it belongs; "" for a command
	Text string `json:"text"`
	Asks bool   `json:"-"` // it needs no key, and can only ask: a person sends
}

//go:embed clients
var clientTexts embed.FS

// filled gives clients the texts of a folder, in which each word before a value stands
// for it.
func filled(all []ToolClient, folder string, values ...string) []ToolClient {
	for i, c := range all {
		text, _ := clientTexts.ReadFile(folder + c.Name)
		all[i].Text = strings.NewReplacer(append(values, "NAME", c.Name)...).Replace(strings.TrimSuffix(string(text), "\n"))
	}
	return all
}

// AgentClients gives the configurations with which an agent's program starts ours.
func AgentClients(program string) []ToolClient {
	quoted, _ := json.Marshal(program) // is TOML as well
	return filled([]ToolClient{
		{Name: "claude", File: ".mcp.json"}, {Name: "codex", File: "~/.codex/config.toml"}, {Name: "cursor", File: ".cursor/mcp.json"},
		{Name: "vscode", File: ".vscode/mcp.json"}, {Name: "gemini", File: ".gemini/settings.json"}, {Name: "opencode", File: "opencode.json"},
	}, "clients/ours/", `"PROGRAM"`, string(quoted))
}

// ToolClients gives the configurations for an entry at address, a URL without quotes.
func ToolClients(address string) []ToolClient {
	ask := api.Map(AgentClients(""), func(c ToolClient) string { return "darkroom mcp config " + c.Name })
	return append([]ToolClient{{Name: "agents", Asks: true, Text: strings.Join(ask, "\n")}}, filled([]ToolClient{
		{Name: "project", File: ".mcp.json"}, {Name: "vscode", File: ".vscode/mcp.json"}, {Name: "cursor", File: ".cursor/mcp.json"},
		{Name: "codex", File: ".codex/config.toml"}, {Name: "curl"},
	}, "clients/", "ADDRESS", address, "VARIABLE", "DARKROOM_API_KEY")...)
}
