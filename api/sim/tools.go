package sim

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/sim/paint"
)

// The tool-protocol entry ("Tool-protocol entry"): Streamable HTTP at
// /api/v1/mcp with the same key. Its tools do what the other endpoints do, and
// what they make is in the same ledger.

// toolCall answers a call of the tool entry, which streams its answer.
func (x *Exchange) toolCall() Answer {
	if x.Request.Method == http.MethodPost {
		x.Request.Body = io.NopCloser(bytes.NewReader(x.readBody()))
	}
	return Answer{Stream: func(w http.ResponseWriter) { x.s.tools.ServeHTTP(w, x.Request) }}
}

// toolsText are the tools as they are listed.
//
//go:embed tools.json
var toolsText []byte

// toolAnswers answer the calls of a tool by its name; arguments are checked
// against the tool's schema before.
func (s *Server) toolAnswers() map[string]mcp.ToolHandlerFor[json.RawMessage, any] {
	return map[string]mcp.ToolHandlerFor[json.RawMessage, any]{
		"list_models": func(context.Context, *mcp.CallToolRequest, json.RawMessage) (*mcp.CallToolResult, any, error) {
			return nil, object{"models": s.o.Models}, nil
		},
		"estimate_price": s.toolPrice,
		"generate_image": s.toolJob(func(_ context.Context, r *mcp.CallToolRequest, in json.RawMessage) (*job, error) {
			return s.toolCreate(r, api.KindImage, StillModel, in), nil
		}),
		"generate_video": s.toolJob(s.toolVideo),
		"get_job":        s.toolJob(s.namedJob),
		"wait_for_job":   s.toolWait,
		"sample_picture": s.toolSample,
	}
}

// toolEntry makes the entry's handler, without sessions.
func (s *Server) toolEntry() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "darkroom-simulator", Version: "1"}, nil)
	var tools []*mcp.Tool
	if err := json.Unmarshal(toolsText, &tools); err != nil {
		panic(err) // embedded: a test sees it
	}
	answers := s.toolAnswers()
	for _, tool := range tools {
		answer := answers[tool.Name]
		mcp.AddTool(server, tool, func(ctx context.Context, r *mcp.CallToolRequest, in json.RawMessage) (
			result *mcp.CallToolResult, out any, err error,
		) {
			if refused := try(func() { result, out, err = answer(ctx, r, in) }); refused != nil {
				err = errors.New(refused.Message)
			}
			return result, out, err
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}

// toolJob is a tool that says how a job is.
func (s *Server) toolJob(
	find func(context.Context, *mcp.CallToolRequest, json.RawMessage) (*job, error),
) mcp.ToolHandlerFor[json.RawMessage, any] {
	return func(ctx context.Context, r *mcp.CallToolRequest, in json.RawMessage) (*mcp.CallToolResult, any, error) {
		j, err := find(ctx, r, in)
		if err != nil {
			return nil, nil, err
		}
		return nil, s.describe(j, time.Now()).shape(), nil
	}
}

// toolKey is the key of a tool call; admit has checked it.
func toolKey(r *mcp.CallToolRequest) string {
	_, key, _ := strings.Cut(r.Extra.Header.Get("Authorization"), " ")
	return key
}

func (s *Server) toolPrice(_ context.Context, _ *mcp.CallToolRequest, in json.RawMessage) (*mcp.CallToolResult, any, error) {
	return nil, object{"estimated_credits": s.price(estimated(looseValues(in)))}, nil
}

// toolCreate accepts a generation from a tool's arguments, by the same rules.
func (s *Server) toolCreate(r *mcp.CallToolRequest, kind api.Kind, model string, in json.RawMessage) *job {
	fields := members(in)
	fields["model"], fields["async"] = json.RawMessage(`"`+model+`"`), json.RawMessage("true")
	raw, _ := json.Marshal(fields)
	return s.accept(toolKey(r), s.read(kind, raw), raw)
}

// toolVideo is the slow tool that spends.
func (s *Server) toolVideo(ctx context.Context, r *mcp.CallToolRequest, in json.RawMessage) (*job, error) {
	j := s.toolCreate(r, api.KindVideo, api.Seedance2, in)
	return j, s.await(ctx, r, j)
}

func (s *Server) namedJob(_ context.Context, r *mcp.CallToolRequest, in json.RawMessage) (*job, error) {
	if j := s.findJob(looseValues(in)["id"], toolKey(r)); j != nil {
		return j, nil
	}
	return nil, errors.New("this key has no job of that id")
}

// toolWait is the slow tool that does not spend.
func (s *Server) toolWait(ctx context.Context, r *mcp.CallToolRequest, in json.RawMessage) (*mcp.CallToolResult, any, error) {
	j, err := s.namedJob(ctx, r, in)
	if err == nil {
		err = s.await(ctx, r, j)
	}
	if err != nil {
		return nil, nil, err
	}
	v := s.describe(j, time.Now())
	if v.Reason != "" {
		return nil, nil, errors.New(v.Reason)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "The job has ended. Its result:"},
		&mcp.ResourceLink{URI: v.URL, Name: "result", MIMEType: v.MediaType},
	}}, v.shape(), nil
}

// await waits for a job's end and reports its progress twenty times.
func (s *Server) await(ctx context.Context, r *mcp.CallToolRequest, j *job) error {
	const steps = 20
	token := r.Params.GetProgressToken()
	for i := range steps {
		select {
		case <-time.After(time.Until(j.at.Add(j.ends.Sub(j.at) * time.Duration(i+1) / steps))):
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
			return errors.New("the service was closed")
		}
		if token == nil {
			continue
		}
		// A caller that no longer listens is not a failure of the job.
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(i + 1), Total: steps, Message: strings.ToLower(j.status(time.Now())),
		})
	}
	return nil
}

const sampleSide = 256

func (s *Server) toolSample(_ context.Context, _ *mcp.CallToolRequest, in json.RawMessage) (*mcp.CallToolResult, any, error) {
	v := looseValues(in)
	if strings.TrimSpace(v["subject"]) == "" {
		return nil, nil, errors.New("say what to draw")
	}
	picture := paint.Input{Kind: api.KindImage, Prompt: v["subject"], Ratio: v["aspect_ratio"]}
	m := picture.Media(sampleSide)
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "A sample of " + v["subject"] + "."},
		&mcp.ImageContent{Data: s.painter.File(picture, m), MIMEType: m.Type},
	}}, nil, nil
}
