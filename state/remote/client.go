package remote

import (
	"context"
	"net/url"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/state/settings"
)

// leastCallScale keeps the limits of single calls at a tenth or more: a time
// scale makes waits short, but a busy machine needs as long as ever to answer.
const leastCallScale = 0.1

// CallScale is the scale of the limits of single calls.
func CallScale(s settings.Settings) float64 {
	scale := s.TimeScale
	if scale <= 0 {
		scale = 1
	}
	return max(scale, leastCallScale)
}

// client makes the client of a service as the settings and what it showed
// before ask for.
func (r *Remote) client(base *url.URL, key api.Key) Service {
	set := r.o.Settings.Get()
	ways := set.WaysFor(base.String())
	method := ways.Estimate
	if method == "" {
		seen, _ := r.seen(r.ctx, base.String()) // what is not known is found out again
		method = seen.Estimate
	}
	o := client.Options{
		Base: base, Key: key, Scale: CallScale(set), UserAgent: "darkroom/" + r.o.Version,
		JobID: ways.JobID, EstimatePost: method == "POST", NewFile: r.inboxFile,
		MethodFound: func(method string) { r.record(base.String(), func(seen *settings.Seen) { seen.Estimate = method }) },
	}
	if set.Log {
		o.Log = (&logFile{path: set.LogPath(), most: logMost, key: key}).printf
	}
	if r.o.Connect != nil {
		return r.o.Connect(o)
	}
	c := client.New(o)
	return service{c, mcp.New(c)}
}

// service is the whole of the generation service: its calls and its tools.
type service struct {
	*client.Client
	tools *mcp.Client
}

func (s service) Tools(ctx context.Context, path string) (mcp.Listing, error) {
	return s.tools.Tools(ctx, path)
}

func (s service) CallTool(ctx context.Context, path string, call mcp.Call) (mcp.Answer, error) {
	return s.tools.CallTool(ctx, path, call)
}
