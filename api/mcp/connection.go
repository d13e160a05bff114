package mcp

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
)

// connection is one open connection to the entry.
type connection struct {
	c       *Client
	path    string
	way     *guardedWay
	session *mcp.ClientSession
}

func (c *Client) openTools(ctx context.Context, path string, relay *progressRelay) (*connection, error) {
	u, err := c.Base.Parse(path)
	if err != nil || u.Host != c.Base.Host || u.RawQuery != "" {
		return nil, client.OwnError(api.ClassInvalid, 0, api.ReasonPath)
	}
	t := &connection{c: c, path: u.EscapedPath(), way: newGuardedWay(c)}
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if relay != nil {
		o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { relay.received(c, r.Params) }
	}
	session := mcp.NewClient(&mcp.Implementation{Name: "darkroom", Version: "1"}, o)
	hello, cancel := client.WithLimit(ctx, client.Scaled(limitToolHello, c.Scale), api.ReasonNoAnswer)
	defer cancel()
	t.session, err = session.Connect(hello, &mcp.StreamableClientTransport{
		Endpoint: u.String(), DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxToolAnswers,
		HTTPClient: &http.Client{
			Transport:     t.way,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil)
	if err != nil {
		return nil, t.failure(hello, err, true)
	}
	return t, nil
}

// close ends the session without keeping the caller waiting: the answer is there
// already.
func (t *connection) close() {
	_, _, _ = t.way.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // nothing depends on how the session ends
		_ = t.session.Close()
	}()
	select {
	case <-done:
	case <-time.After(client.Scaled(time.Second, t.c.Scale)):
	}
}

func (t *connection) list(ctx context.Context) (Listing, error) {
	l := Listing{Path: t.path}
	if r := t.session.InitializeResult(); r != nil {
		if r.ServerInfo != nil {
			l.Server = api.Clean(t.c.Key.RedactString(r.ServerInfo.Name+" "+r.ServerInfo.Version), 200)
		}
		l.Advice = api.CleanLines(t.c.Key.RedactString(r.Instructions), maxToolAbout)
	}
	for tool, err := range t.session.Tools(ctx, nil) {
		if err != nil {
			return Listing{Path: t.path}, t.failure(ctx, err, true)
		}
		if len(l.Tools) >= maxTools {
			l.Skipped++
			break
		}
		read, ok := t.c.toolOf(tool)
		if _, twice := l.Find(read.Name); !ok || twice {
			l.Skipped++
			continue
		}
		l.Tools = append(l.Tools, read)
	}
	return l, nil
}
