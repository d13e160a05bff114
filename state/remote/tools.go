package remote

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state/settings"
)

// Toolbox is what the service's tool-protocol entry offers, with its age.
type Toolbox struct {
	mcp.Listing
	Address string    // the entry's whole URL
	At      time.Time // when the service gave it
	Cached  bool      // from the store, because the service was not asked or did not answer
}

// KnownTools returns the last list from the store, without a call; the zero
// Toolbox when there is none.
func (r *Remote) KnownTools(ctx context.Context) Toolbox {
	base := r.Base()
	if base == nil {
		return Toolbox{}
	}
	var l mcp.Listing
	at, ok, _ := r.recall(ctx, cacheTools, base.String(), &l)
	if !ok {
		return Toolbox{}
	}
	return Toolbox{Listing: l, Address: mcp.Address(base, l.Path), At: at, Cached: true}
}

// Tools asks the tool-protocol entry for its tools. Where the entry is a
// person may have set; else the place that answered before is asked, and
// without one the known places are tried once.
func (r *Remote) Tools(ctx context.Context) (Toolbox, error) {
	c, err := r.Ready()
	if err != nil {
		return Toolbox{}, err
	}
	return shared(ctx, r, "tools "+c.Base, func() (Toolbox, error) { return r.listTools(r.ctx, c) })
}

func (r *Remote) listTools(ctx context.Context, c *Connection) (Toolbox, error) {
	path, found, err := r.ToolsPath(ctx, c)
	if err != nil {
		return Toolbox{}, err
	}
	if path == "" && !r.Health().Online {
		// One call distinguishes a refused key from a place without an entry, not
		// one for each place.
		_, _, err := c.Service.Models(ctx)
		r.ObserveCall(c, err)
		if r.Health().KeyRefused {
			return Toolbox{}, ErrKeyRefused
		}
	}
	listing, err := c.Service.Tools(ctx, path)
	if found && moved(err) {
		listing, err = c.Service.Tools(ctx, "")
	}
	if err = r.ObserveTool(ctx, c, err); err != nil {
		return Toolbox{}, err
	}
	if path == "" || found {
		r.record(c.Base, func(seen *settings.Seen) { seen.ToolsPath = listing.Path })
	}
	now := time.Now()
	r.remember(cacheTools, c.Base, listing, now)
	return Toolbox{Listing: listing, Address: mcp.Address(c.URL, listing.Path), At: now}, nil
}

// ObserveTool takes the outcome of a call of the entry into the Health, as far
// as it is about the service. An entry that is not there, or that wants another
// login, must not stop the polling of jobs: before the key counts as refused
// the service itself is asked.
func (r *Remote) ObserveTool(ctx context.Context, c *Connection, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		if err == nil {
			r.ObserveCall(c, nil)
		}
		return err
	}
	switch {
	case RefusesKey(e):
		_, _, asked := c.Service.Models(ctx)
		r.ObserveCall(c, asked)
		if asked == nil {
			own := *e
			own.Class = api.ClassServer
			own.Text, own.Reason = api.Text{}, api.ReasonToolKeyRefused.Reason()
			own.Do = api.AdviseToolLogin.Reason()
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

// ToolsPath is where the entry is; found says that it was found and may have
// moved since, rather than set by a person.
func (r *Remote) ToolsPath(ctx context.Context, c *Connection) (path string, found bool, err error) {
	if set := r.ways(c.Base).ToolsPath; set != "" {
		path, err := mcp.ParseEntryPath(c.URL, set)
		if err != nil {
			return "", false, &Refusal{Code: "not_sendable", Reason: api.Sentence("tools_path in the settings file: %v").Reason(err), Cause: err}
		}
		return path, false, nil
	}
	seen, err := r.seen(ctx, c.Base)
	return seen.ToolsPath, seen.ToolsPath != "", err
}

// moved reports whether an error may mean that the entry is elsewhere by now.
func moved(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && (e.Class == api.ClassNotFound || e.Class == api.ClassUnreadable || e.Status == 405)
}

// ToolClient is a ready configuration of another program for the service's
// tool-protocol entry. It names the variable that holds the key, never the key.
type ToolClient struct {
	Name string // a short word to choose it by
	File string // where it belongs; "" for a command
	Text string
}

//go:embed clients
var clientTexts embed.FS

// ToolClients gives the configurations for an entry at address, which is a URL
// of the service: it holds no quotes.
func ToolClients(address string) []ToolClient {
	fill := strings.NewReplacer("ADDRESS", address, "VARIABLE", "DARKROOM_API_KEY").Replace
	all := []ToolClient{
		{Name: "project", File: ".mcp.json"}, {Name: "vscode", File: ".vscode/mcp.json"}, {Name: "cursor", File: ".cursor/mcp.json"},
		{Name: "codex", File: ".codex/config.toml"}, {Name: "curl"},
	}
	for i := range all {
		text, _ := clientTexts.ReadFile("clients/" + all[i].Name)
		all[i].Text = fill(strings.TrimSuffix(string(text), "\n"))
	}
	return all
}
