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

// askedTool is a call of a tool, with its arguments and the key of the caller, which
// admit has checked.
type askedTool struct {
	context.Context
	*mcp.CallToolRequest
	in  json.RawMessage
	key string
}

// toolAnswers answer the calls of a tool by its name, or refuse them; arguments are
// checked against the tool's schema before. Without parts the answer is one itself.
func (s *Server) toolAnswers() map[string]func(askedTool) (any, []mcp.Content) {
	ofJob := func(j *job) (any, []mcp.Content) { return s.describe(j, time.Now()).shape(), nil }
	return map[string]func(askedTool) (any, []mcp.Content){
		"list_models": func(askedTool) (any, []mcp.Content) { return object{"models": s.o.Models}, nil },
		"estimate_price": func(c askedTool) (any, []mcp.Content) {
			return object{"estimated_credits": s.price(estimated(looseValues(c.in)))}, nil
		},
		"generate_image": func(c askedTool) (any, []mcp.Content) { return ofJob(s.toolCreate(c, api.KindImage, StillModel)) },
		"generate_video": func(c askedTool) (any, []mcp.Content) { // the slow tool that spends
			return ofJob(s.await(c, s.toolCreate(c, api.KindVideo, api.Seedance2)))
		},
		"get_job":        func(c askedTool) (any, []mcp.Content) { return ofJob(s.namedJob(c)) },
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
			_, key, _ := strings.Cut(r.Extra.Header.Get("Authorization"), " ")
			var parts []mcp.Content
			if refused := try(func() { out, parts = answer(askedTool{ctx, r, in, key}) }); refused != nil {
				return nil, nil, errors.New(refused.Message)
			}
			if parts != nil {
				result = &mcp.CallToolResult{Content: parts}
			}
			return result, out, nil
		})
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}

// toolCreate accepts a generation from a tool's arguments, by the same rules.
func (s *Server) toolCreate(c askedTool, kind api.Kind, model string) *job {
	fields := members(c.in)
	fields["model"], fields["async"] = json.RawMessage(`"`+model+`"`), json.RawMessage("true")
	raw, _ := json.Marshal(fields)
	return s.accept(c.key, s.read(kind, raw), raw)
}

func (s *Server) namedJob(c askedTool) *job {
	j := s.findJob(looseValues(c.in)["id"], c.key)
	if j == nil {
		failTool("this key has no job of that id")
	}
	return j
}

// failTool ends the call of a tool, which has no status.
func failTool(message string) { refuse(0, "", message) }

// toolWait is the slow tool that does not spend.
func (s *Server) toolWait(c askedTool) (any, []mcp.Content) {
	v := s.describe(s.await(c, s.namedJob(c)), time.Now())
	if v.Reason != "" {
		failTool(v.Reason)
	}
	return v.shape(), []mcp.Content{
		&mcp.TextContent{Text: "The job has ended. Its result:"},
		&mcp.ResourceLink{URI: v.URL, Name: "result", MIMEType: v.MediaType},
	}
}

// await waits for a job's end and reports its progress twenty times.
func (s *Server) await(c askedTool, j *job) *job {
	const steps = 20
	token := c.Params.GetProgressToken()
	for i := range steps {
		select {
		case <-time.After(time.Until(j.at.Add(j.ends.Sub(j.at) * time.Duration(i+1) / steps))):
		case <-c.Done():
			failTool(c.Err().Error())
		case <-s.ctx.Done():
			failTool("the service was closed")
		}
		if token == nil {
			continue
		}
		// A caller that no longer listens is not a failure of the job.
		_ = c.Session.NotifyProgress(c, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(i + 1), Total: steps, Message: strings.ToLower(j.status(time.Now())),
		})
	}
	return j
}

func (s *Server) toolSample(c askedTool) (any, []mcp.Content) {
	v := looseValues(c.in)
	if strings.TrimSpace(v["subject"]) == "" {
		failTool("say what to draw")
	}
	picture := paint.Input{Kind: api.KindImage, Prompt: v["subject"], Ratio: v["aspect_ratio"]}
	m := picture.Media(256)
	return nil, []mcp.Content{
		&mcp.TextContent{Text: "A sample of " + v["subject"] + "."},
		&mcp.ImageContent{Data: s.painter.File(picture, m), MIMEType: m.Type},
	}
}
