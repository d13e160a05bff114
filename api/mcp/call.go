package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
)

// Client calls the tool-protocol entry with the key, at the origin of the
// generation calls. It is safe for use by several goroutines.
type Client struct{ *client.Client }

func New(c *client.Client) *Client { return &Client{c} }

// Call is one call of a tool.
type Call struct {
	Name string
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage
	// Agreed says that a person agreed to what the call may cost. Without it
	// only tools that are declared read-only are called.
	Agreed bool
	// Progress, when set, is called with the tool's progress: in order, one at a
	// time, never after CallTool returned. It must not block.
	Progress func(Progress)
}

// Tools lists the tools of the entry at path, which is escaped and counts from
// the origin's root. Without a path the known places are tried once each; the
// caller keeps Listing.Path for the next time. Errors are *Error.
func (c *Client) Tools(ctx context.Context, path string) (Listing, error) {
	if c.Base.Host == "" {
		return Listing{}, client.OwnError(api.ClassInvalid, 0, api.ReasonNoBase)
	}
	if path != "" {
		return c.listTools(ctx, path)
	}
	var kept *api.Error
	for _, p := range c.toolCandidates() {
		l, err := c.listTools(ctx, p)
		e, failed := errors.AsType[*api.Error](err)
		if !failed {
			return l, err
		}
		switch {
		case e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class.UsedUp(), ctx.Err() != nil:
			return l, err // it would be the same everywhere
		case notThere(e):
		case kept == nil:
			kept = e
		}
	}
	if kept != nil {
		return Listing{}, kept
	}
	none := client.OwnError(api.ClassNotFound, 0, api.ReasonNoToolEntry, c.Base.Host)
	none.Do = api.AdviseToolEntry.Reason()
	return Listing{}, none
}

func (c *Client) listTools(ctx context.Context, path string) (Listing, error) {
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolList, c.Scale), api.ReasonIncomplete)
	defer cancel()
	t, err := c.open(ctx, path, nil)
	if err != nil {
		return Listing{}, err
	}
	defer t.close()
	return t.list(ctx)
}

// CallTool calls a tool once, exactly once, and gives its answer; a tool that
// says that it failed is an answer. Errors are *Error, or ErrNotAgreed when the
// tool is not declared read-only and call.Agreed is false. An *Error whose Sent
// is true leaves open whether the tool ran. Ending ctx asks the tool to stop;
// the service decides whether it does.
func (c *Client) CallTool(ctx context.Context, path string, call Call) (Answer, error) {
	args := bytes.TrimSpace(call.Args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		return Answer{}, client.OwnError(api.ClassInvalid, 0, api.Sentence("the tool's arguments must be one JSON object"))
	}
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolCall, c.Scale), api.ReasonIncomplete)
	defer cancel()
	t, err := c.open(ctx, path, call.Progress)
	if err != nil {
		return Answer{}, err
	}
	defer t.close()
	// The tool's declaration is read again: the caller's may be old.
	l, err := t.list(ctx)
	tool, ok := l.Find(call.Name)
	switch {
	case err != nil:
		return Answer{}, err
	case !ok:
		none := client.OwnError(api.ClassNotFound, 0, api.Sentence("the service has no tool with that name"))
		none.Do = api.Sentence("look at the list of its tools").Reason()
		return Answer{}, none
	case !tool.ReadOnly && !call.Agreed:
		return Answer{}, ErrNotAgreed
	}
	p := &mcp.CallToolParams{Name: call.Name, Arguments: json.RawMessage(args)}
	if call.Progress != nil {
		p.SetProgressToken("darkroom")
	}
	r, err := t.session.CallTool(ctx, p)
	if err != nil {
		failed := t.failure(ctx, err)
		if failed.Sent && !tool.ReadOnly {
			failed.Do = api.AdviseToolCharged.Reason()
		}
		return Answer{}, failed
	}
	return c.toolAnswer(r), nil
}

type Progress struct {
	Done  float64
	Total float64 // 0: not known
	Text  api.Text
}

// toolPlaces are known paths of such entries, most likely first.
var toolPlaces = []string{"/api/v1/mcp", "/api/mcp", "/mcp", "/api/v1/mcp-http", "/v1/mcp"}

// toolCandidates gives the paths to try, under the base URL's prefix first.
func (c *Client) toolCandidates() (out []string) {
	for _, prefix := range slices.Compact([]string{c.Base.EscapedPath(), ""}) {
		for _, place := range toolPlaces {
			out = append(out, prefix+place)
		}
	}
	return out
}

// Address is the whole URL of the entry at a path from the origin's root.
func Address(base *url.URL, path string) string {
	return base.Scheme + "://" + base.Host + path
}

// ParseEntryPath reads the place of the entry as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseEntryPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = Address(base, strings.TrimRight(base.EscapedPath(), "/")+s)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" ||
		len(Address(base, u.EscapedPath())) > api.MaxBaseText:
		return "", api.Sentence("the tool entry's path cannot be read; give it as /api/v1/mcp, or as a full URL").Fault(nil)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", api.Sentence("the tool entry's path must not hold a user, a query or a fragment").Fault(nil)
	case api.Origin(u) != api.Origin(base):
		return "", api.Sentence("the tool entry is at another host than the base URL, where the key is not sent").Fault(nil)
	}
	if _, ok := api.BasePath(u); !ok {
		return "", api.Sentence("the tool entry's path must not hold empty, . or .. steps").Fault(nil)
	}
	return u.EscapedPath(), nil
}

// notThere reports whether an answer only says that the entry is elsewhere.
func notThere(e *api.Error) bool {
	return slices.Contains([]int{400, 404, 405, 406, 410}, e.Status) || e.Class == api.ClassUnreadable || e.Class == api.ClassNotFound
}
