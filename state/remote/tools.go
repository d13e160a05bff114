package remote

import (
	"context"
	"embed"
	"encoding/json"
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
	var e *api.Error
	if !errors.As(err, &e) {
		r.ObserveCall(c, err)
		return err
	}
	switch {
	case RefusesKey(e):
		_, _, asked := c.Service.Models(ctx)
		r.ObserveCall(c, asked)
		if asked == nil {
			own := *e
			own.Class = api.ClassServer
			own.Text, own.Reason = api.Text{}, api.Sentence("the tool entry refused the key, although the service takes it").Reason()
			own.Do = api.Sentence("look on the service's pages how to log in there").Reason()
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
	asks := ToolClient{Name: "agents", Asks: true}
	for _, c := range AgentClients("") {
		asks.Text = strings.TrimPrefix(asks.Text+"\ndarkroom mcp config "+c.Name, "\n")
	}
	return append([]ToolClient{asks}, filled([]ToolClient{
		{Name: "project", File: ".mcp.json"}, {Name: "vscode", File: ".vscode/mcp.json"}, {Name: "cursor", File: ".cursor/mcp.json"},
		{Name: "codex", File: ".codex/config.toml"}, {Name: "curl"},
	}, "clients/", "ADDRESS", address, "VARIABLE", "DARKROOM_API_KEY")...)
}
