package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
	"darkroom/api/sim/paint"
)

// The tool-protocol entry ("Tool-protocol entry"): Streamable HTTP at
// /api/v1/mcp with the same key. Its tools do what the other endpoints do, and
// what they make is in the same ledger.

type object = map[string]any

// toolWriter records the status that the tool entry writes.
type toolWriter struct {
	http.ResponseWriter
	x *exchange
}

func (w toolWriter) WriteHeader(status int) {
	w.x.Answered(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w toolWriter) Write(b []byte) (int, error) {
	w.x.s.note(w.x.call, func(c *Call) {
		if c.Status == 0 {
			c.Status = http.StatusOK
		}
	})
	return w.ResponseWriter.Write(b)
}

// Flush and Unwrap let the entry stream.
func (w toolWriter) Flush()                      { _ = http.NewResponseController(w.ResponseWriter).Flush() }
func (w toolWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// toolCall answers a call of the tool entry, which streams its answer.
func (x *exchange) toolCall() fault.Answer {
	if x.r.Method == http.MethodPost {
		if r := x.readBody(); r != nil {
			return x.refuse(*r)
		}
		x.r.Body = io.NopCloser(bytes.NewReader(x.body))
	}
	return fault.Answer{Stream: func() { x.s.tools.ServeHTTP(toolWriter{x.w, x}, x.r) }}
}

// priceInput are the parameters of estimate_price.
type priceInput struct {
	Model       string `json:"model" jsonschema:"model id"`
	Duration    int    `json:"duration,omitempty" jsonschema:"length of a video in seconds"`
	VideoModel  string `json:"video_model,omitempty" jsonschema:"fast, standard, fast_vip or standard_vip"`
	Resolution  string `json:"resolution,omitempty" jsonschema:"480p, 720p or 1080p"`
	Size        string `json:"size,omitempty" jsonschema:"1K, 2K, 4K or auto_2K"`
	Quality     string `json:"quality,omitempty" jsonschema:"low, medium or high"`
	AspectRatio string `json:"aspect_ratio,omitempty" jsonschema:"such as 16:9"`
}

type imageInput struct {
	Prompt      string `json:"prompt" jsonschema:"what to draw, 1 to 5000 characters"`
	Size        string `json:"size,omitempty" jsonschema:"1K, 2K, 4K or auto_2K"`
	Quality     string `json:"quality,omitempty" jsonschema:"low, medium or high"`
	AspectRatio string `json:"aspect_ratio,omitempty" jsonschema:"such as 16:9"`
	ImageURL    string `json:"image_url,omitempty" jsonschema:"a picture to start from"`
}

type videoInput struct {
	Prompt     string `json:"prompt" jsonschema:"what to film, 1 to 5000 characters"`
	Duration   int    `json:"duration,omitempty" jsonschema:"seconds, 4 to 12"`
	Ratio      string `json:"ratio,omitempty" jsonschema:"16:9, 9:16, 1:1 or 4:3"`
	VideoModel string `json:"video_model,omitempty" jsonschema:"fast, standard, fast_vip or standard_vip"`
	Resolution string `json:"resolution,omitempty" jsonschema:"480p, 720p or 1080p"`
	ImageURL   string `json:"image_url,omitempty" jsonschema:"the first picture"`
	Seed       *int64 `json:"seed,omitempty" jsonschema:"random seed"`
}

type sampleInput struct {
	Subject     string `json:"subject" jsonschema:"what to draw"`
	AspectRatio string `json:"aspect_ratio,omitempty" jsonschema:"such as 16:9"`
}

type jobInput struct {
	ID string `json:"id" jsonschema:"job id"`
}

// toolEntry makes the entry's handler. It keeps no sessions, so that nothing
// of it outlives Close.
func (s *Server) toolEntry() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "darkroom-simulator", Version: "1"}, nil)
	mcp.AddTool(server, toolOf[struct{}]("list_models", "List models", "List the models, their parameters and default prices.", true),
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, object{"models": s.rules().models()}, nil
		})
	mcp.AddTool(server, toolOf[priceInput]("estimate_price", "Estimate a price", "State what a generation would cost, in credits.", true), s.toolPrice)
	mcp.AddTool(server, toolOf[imageInput]("generate_image", "Generate an image", "Begin an image. Costs credits. Answers with the job at once.", false),
		func(_ context.Context, r *mcp.CallToolRequest, in imageInput) (*mcp.CallToolResult, any, error) {
			j, err := s.toolCreate(r, api.KindImage, StillModel, in)
			if err != nil {
				return nil, nil, err
			}
			return nil, dialect.SpecifiedJob(s.describe(j, time.Now())), nil
		})
	mcp.AddTool(server, toolOf[videoInput]("generate_video", "Generate a video", "Make a video and wait for it. Costs credits. Reports its progress.", false), s.toolVideo)
	mcp.AddTool(server, toolOf[jobInput]("get_job", "Read a job", "Read a job's status and result.", true),
		func(_ context.Context, r *mcp.CallToolRequest, in jobInput) (*mcp.CallToolResult, any, error) {
			j := s.findJob(in.ID, toolKey(r))
			if j == nil {
				return nil, nil, errNoJob
			}
			return nil, dialect.SpecifiedJob(s.describe(j, time.Now())), nil
		})
	mcp.AddTool(server, toolOf[jobInput]("wait_for_job", "Wait for a job", "Wait until a job has ended, reporting its progress, and link to its result.", true), s.toolWait)
	mcp.AddTool(server, toolOf[sampleInput]("sample_picture", "Sample picture", "Draw a small picture of a subject, free of charge, to see what the service draws like.", true), s.toolSample)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}

// toolKey is the key of a tool call; admit has checked it.
func toolKey(r *mcp.CallToolRequest) string {
	if r.Extra == nil {
		return ""
	}
	_, key, _ := strings.Cut(r.Extra.Header.Get("Authorization"), " ")
	return key
}

func (s *Server) toolPrice(_ context.Context, _ *mcp.CallToolRequest, in priceInput) (*mcp.CallToolResult, any, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, nil, err
	}
	v, _ := looseValues(raw)
	credits, bad := s.rules().price(estimated(v))
	if bad != nil {
		return nil, nil, errors.New(bad.Message)
	}
	return nil, object{"estimated_credits": credits}, nil
}

// toolCreate accepts a generation from a tool's input, by the same rules.
func (s *Server) toolCreate(r *mcp.CallToolRequest, kind api.Kind, model string, in any) (*job, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	var fields object
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["model"], fields["async"] = model, true
	if raw, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	o, bad := s.rules().read(kind, raw)
	if bad != nil {
		return nil, errors.New(bad.Message)
	}
	j, bad := s.accept(toolKey(r), o, raw)
	if bad != nil {
		return nil, errors.New(bad.Message)
	}
	return j, nil
}

// toolVideo is the slow tool that spends.
func (s *Server) toolVideo(ctx context.Context, r *mcp.CallToolRequest, in videoInput) (*mcp.CallToolResult, any, error) {
	j, err := s.toolCreate(r, api.KindVideo, api.Seedance2, in)
	if err != nil {
		return nil, nil, err
	}
	if err := s.await(ctx, r, j); err != nil {
		return nil, nil, err
	}
	return nil, dialect.SpecifiedJob(s.describe(j, time.Now())), nil
}

var errNoJob = errors.New("this key has no job of that id")

// toolWait is the slow tool that does not spend.
func (s *Server) toolWait(ctx context.Context, r *mcp.CallToolRequest, in jobInput) (*mcp.CallToolResult, any, error) {
	j := s.findJob(in.ID, toolKey(r))
	if j == nil {
		return nil, nil, errNoJob
	}
	if err := s.await(ctx, r, j); err != nil {
		return nil, nil, err
	}
	v := s.describe(j, time.Now())
	if v.Reason != "" {
		return nil, nil, errors.New(v.Reason)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "The job has ended. Its result:"},
		&mcp.ResourceLink{URI: v.URL, Name: "result", MIMEType: v.MediaType},
	}}, dialect.SpecifiedJob(v), nil
}

// await waits for a job's end and reports its progress twenty times.
func (s *Server) await(ctx context.Context, r *mcp.CallToolRequest, j *job) error {
	const steps = 20
	token := r.Params.GetProgressToken()
	for i := range steps {
		t := time.NewTimer(time.Until(j.at.Add(j.ends.Sub(j.at) * time.Duration(i+1) / steps)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-s.done:
			t.Stop()
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

// sampleSide is the long side of a sample, in pixels.
const sampleSide = 256

// toolSample answers with a picture inside the answer.
func (s *Server) toolSample(_ context.Context, _ *mcp.CallToolRequest, in sampleInput) (*mcp.CallToolResult, any, error) {
	if strings.TrimSpace(in.Subject) == "" {
		return nil, nil, errors.New("say what to draw")
	}
	picture := paint.Input{Kind: api.KindImage, Prompt: in.Subject, Ratio: in.AspectRatio}
	m := picture.Media(sampleSide)
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "A sample of " + in.Subject + "."},
		&mcp.ImageContent{Data: s.painter.File(picture, m), MIMEType: m.Type},
	}}, nil, nil
}

// toolOf describes a tool whose arguments are an In, with the choices that its
// fields have. readOnly declares that it changes nothing and costs nothing.
func toolOf[In any](name, title, about string, readOnly bool) *mcp.Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // the inputs are types of this file's neighbours
	}
	for field, p := range schema.Properties {
		choices := toolChoices()[field]
		if field == "duration" {
			p.Minimum, p.Maximum = number(4), number(12)
		}
		if field == "prompt" {
			p.MinLength, p.MaxLength = count(1), count(api.MaxPrompt)
		}
		for _, c := range choices {
			p.Enum = append(p.Enum, c)
		}
	}
	return &mcp.Tool{
		Name: name, Title: title, Description: about, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly},
	}
}

func toolChoices() map[string][]string {
	return map[string][]string{
		"size":         sizes,
		"quality":      {"low", "medium", "high"},
		"aspect_ratio": ratios,
		"ratio":        {"16:9", "9:16", "1:1", "4:3"},
		"video_model":  {"fast", "standard", "fast_vip", "standard_vip"},
		"resolution":   {"480p", "720p", "1080p"},
	}
}

func number(f float64) *float64 { return &f }
func count(n int) *int          { return &n }
