package sim

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/sim/paint"
)

// Status words ("States and transitions").
const (
	Pending    = "PENDING"
	Processing = "PROCESSING"
	Completed  = "COMPLETED"
	Failed     = "FAILED"
)

// Job is what an answer says of a job.
type Job struct {
	ID        string
	Kind      api.Kind
	Model     string
	Status    string
	Progress  float64 // 0 to 1
	Reason    string  // of a failed job
	Credits   api.Credits
	Created   time.Time
	URL       string // of a completed job
	Poster    string // of a completed video
	MediaType string
	Width     int
	Height    int
	Seconds   int // of a video
	Expires   time.Time
}

// shape is a job as the service writes it.
func (j Job) shape() object {
	o := object{"id": j.ID, "status": j.Status, "result": nil, "error": nil}
	if j.Status == Failed {
		o["error"] = j.Reason
	}
	if j.Status != Completed {
		return o
	}
	file := object{
		"url": j.URL, "content_type": j.MediaType, "width": j.Width, "height": j.Height, "expires_at": j.Expires.UTC().Format(time.RFC3339),
	}
	if j.Kind == api.KindVideo {
		file["duration"] = j.Seconds
		o["result"] = object{"credits_used": j.Credits, "thumbnail_url": j.Poster, "video": file}
	} else {
		o["result"] = object{"credits_used": j.Credits, "images": []object{file}}
	}
	return o
}

// job is an accepted generation. It does not change after it was made: where
// it stands follows from the clock.
type job struct {
	id      string
	request api.Request
	key     string
	credits api.Credits
	at      time.Time
	given   []byte    // the file of what was made elsewhere; nil of a generation
	begins  time.Time // PROCESSING from here
	ends    time.Time // COMPLETED or FAILED from here
}

// schedule sets when work on the job begins and ends: an image takes 2 to 6
// seconds in all, a video 6 to 15, times scale.
func (j *job) schedule(scale float64) {
	// chance is a number from 0 to 1 that depends on the request and a word alone.
	in := input(j.request)
	chance := func(word string) float64 { return float64(in.Hash(word)>>11) / (1 << 53) }
	wait, work := 300+900*chance("wait"), 1700+3100*chance("work")
	if j.request.Kind == api.KindVideo {
		wait, work = 800+2200*chance("wait"), 5200+6800*chance("work")
	}
	j.begins = j.at.Add(time.Duration(wait * scale * float64(time.Millisecond)))
	j.ends = j.begins.Add(time.Duration(work * scale * float64(time.Millisecond)))
}

func (j *job) status(now time.Time) string {
	switch {
	case now.Before(j.begins):
		return Pending
	case now.Before(j.ends):
		return Processing
	case strings.Contains(j.request.Prompt, "[fail]"):
		return Failed
	}
	return Completed
}

func (x *Exchange) create() Answer {
	body, kind := x.readBody(), api.KindImage
	if x.path() == PathVideos {
		kind = api.KindVideo
	}
	o := x.s.read(kind, body)
	j := x.s.accept(x.key, o, body)
	now := j.at // as it was accepted, however long the answer takes
	if o.Waits() {
		x.Pause(time.Until(j.ends))
		now = time.Now()
	}
	d := x.s.describe(j, now)
	return say(http.StatusOK, object{"id": j.id, "job": d.shape()}, d)
}

func (s *Server) accept(key string, o api.Request, body []byte) *job {
	price, now := s.price(o), time.Now()
	j := &job{id: "job_" + rand.Text(), request: o, key: key, credits: price, at: now}
	j.schedule(s.o.TimeScale)
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.o.Credits // what the key may still spend
	for _, other := range s.jobs {
		if other.key == key && other.status(now) != Failed {
			left -= other.credits
		}
	}
	if s.o.Credits > 0 && price > left {
		refuse(http.StatusPaymentRequired, "insufficient_credits",
			fmt.Sprintf("This needs %v credits and the key has %v left. Raise its credit quota on the API key page.", price, left))
	}
	s.jobs[j.id] = j
	s.o.Hook.Accepted(Generation{o, body, func(now time.Time) Job { return s.describe(j, now) },
		func() (data []byte, mediaType string) { return s.file(j, "") }})
	return j
}

// findJob is the job of an id, of any key if key is "".
func (s *Server) findJob(id, key string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil && (key == "" || j.key == key) {
		return j
	}
	return nil
}

func (x *Exchange) job() Answer {
	id, err := url.PathUnescape(strings.TrimPrefix(x.path(), PathJobs))
	j := x.s.findJob(id, x.key)
	if err != nil || j == nil {
		refuse(http.StatusNotFound, "job_not_found", "This key has no job of that id.")
	}
	d := x.s.describe(j, time.Now())
	return say(http.StatusOK, object{"job": d.shape()}, d)
}

// describe returns the answer about a job at a moment, with a new signature.
func (s *Server) describe(j *job, now time.Time) Job {
	v := Job{
		ID: j.id, Kind: j.request.Kind, Model: j.request.Model, Status: j.status(now),
		Progress: min(1, max(0, float64(now.Sub(j.begins))/float64(j.ends.Sub(j.begins)))),
		Credits:  j.credits, Created: j.at,
	}
	switch v.Status {
	case Failed:
		v.Reason = "The model could not finish this generation: the prompt asks it to fail. No credits were used."
	case Completed:
		m := input(j.request).Media(s.o.LongSide)
		v.URL, v.MediaType, v.Width, v.Height = s.link(j, m.Name, now), m.Type, m.Width, m.Height
		v.Expires = now.Add(s.o.LinkLife)
		if v.Kind == api.KindVideo {
			v.Poster, v.Seconds = s.link(j, posterName, now), m.Seconds
		}
	}
	return v
}

const posterName = "poster.jpg"

// Take serves a file that was made elsewhere, and gives its address.
func (s *Server) Take(name string, data []byte) string {
	j := &job{id: "file_" + rand.Text(), given: data}
	s.mu.Lock()
	s.jobs[j.id] = j
	s.mu.Unlock()
	return s.link(j, name, time.Now())
}

// file is a file of the job, made when it is first wanted.
func (s *Server) file(j *job, name string) (data []byte, mediaType string) {
	if j.given != nil {
		return j.given, http.DetectContentType(j.given)
	}
	in := input(j.request)
	m := in.Media(s.o.LongSide)
	if name == posterName && in.Kind == api.KindVideo {
		return m.Poster(), "image/jpeg"
	}
	return s.painter.File(in, m), m.Type
}

// link is the address of a job's file; it works for Options.LinkLife.
func (s *Server) link(j *job, name string, now time.Time) string {
	path := pathFiles + j.id + "/" + name
	until := strconv.FormatInt(now.Add(s.o.LinkLife).UnixMilli(), 10)
	return s.URL() + (&url.URL{Path: path}).EscapedPath() + "?expires=" + until + "&signature=" + s.sign(path, until)
}

func (s *Server) sign(path, until string) string {
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprint(mac, path, "\x00", until)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// result serves a file at its signed address, without a key.
func (x *Exchange) result() Answer {
	until, signature := x.Request.URL.Query().Get("expires"), x.Request.URL.Query().Get("signature")
	if !hmac.Equal([]byte(signature), []byte(x.s.sign(x.path(), until))) {
		refuse(http.StatusForbidden, "bad_signature", "The signature of this address is wrong.")
	}
	if ms, err := strconv.ParseInt(until, 10, 64); err != nil || time.Now().UnixMilli() >= ms {
		refuse(http.StatusForbidden, "link_expired", "This address has expired. Read the job again for a fresh one.")
	}
	id, name, _ := strings.Cut(strings.TrimPrefix(x.path(), pathFiles), "/")
	j := x.s.findJob(id, "")
	if j == nil || j.status(time.Now()) != Completed {
		refuse(http.StatusNotFound, "not_found", "There is no such file.")
	}
	data, mediaType := x.s.file(j, name)
	return Answer{Stream: func(w http.ResponseWriter) { // all of it, or the range that is asked for
		sum, h := sha256.Sum256(data), w.Header()
		h.Set("Content-Type", mediaType)
		h.Set("Cache-Control", "private, max-age=3600")
		h.Set("Etag", fmt.Sprintf(`"%x"`, sum[:8]))
		http.ServeContent(w, x.Request, "", time.Time{}, bytes.NewReader(data))
	}}
}

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
	_ = json.Unmarshal(toolsText, &tools) // embedded: a test sees it
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
		refuse(0, "", "this key has no job of that id") // a tool has no status
	}
	return j
}

// toolWait is the slow tool that does not spend.
func (s *Server) toolWait(c askedTool) (any, []mcp.Content) {
	v := s.describe(s.await(c, s.namedJob(c)), time.Now())
	if v.Reason != "" {
		refuse(0, "", v.Reason)
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
			refuse(0, "", c.Err().Error())
		case <-s.ctx.Done():
			refuse(0, "", "the service was closed")
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
		refuse(0, "", "say what to draw")
	}
	picture := paint.Input{Kind: api.KindImage, Prompt: v["subject"], Ratio: v["aspect_ratio"]}
	m := picture.Media(256)
	return nil, []mcp.Content{
		&mcp.TextContent{Text: "A sample of " + v["subject"] + "."},
		&mcp.ImageContent{Data: s.painter.File(picture, m), MIMEType: m.Type},
	}
}
