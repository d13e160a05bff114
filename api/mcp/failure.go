package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/read"
)

// failure says why there was no answer. harmless says that it cannot have cost
// anything.
func (t *connection) failure(ctx context.Context, err error, harmless bool) *api.Error {
	last, broken, called := t.way.stop()
	e := t.reason(ctx, err, last, broken)
	e.Sent = called && !t.provesRefusal(err, e, last)
	if e.Sent && !harmless {
		e.Do = api.AdviseToolCharged.Reason()
	}
	return e
}

// provesRefusal reports whether the outcome of a call that was sent proves that the
// tool did not run. It is the outcome table of creates; an error of JSON-RPC
// stands for a refusal inside a 2xx.
func (t *connection) provesRefusal(err error, e *api.Error, last client.Trip) bool {
	if last.Status < 200 || last.Status > 299 {
		phase := client.Classify(last, api.KindImage, t.c.Now()).Phase
		return phase == api.PhaseRejected || phase == api.PhaseNotSent
	}
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code == codeRejected || e.Class == api.ClassNetwork {
		return false
	}
	switch wire.Code {
	case jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return true
	}
	// Every other code is the tool's or the server's own, as a 5xx is. Only words
	// that say why nothing is generated prove more.
	said, err := json.Marshal(map[string]any{"error": map[string]string{"message": wire.Message}})
	if err != nil {
		return false
	}
	switch read.Error(last.Status, nil, said).Class {
	case api.ClassCredits, api.ClassRate, api.ClassKey, api.ClassModeration:
		return true
	}
	return false
}

// codeRejected is the library's own code for a message that never reached a server.
const codeRejected = -32005

func (t *connection) reason(ctx context.Context, err error, last client.Trip, broken error) *api.Error {
	if last.Host == "" {
		last.Host = t.c.Base.Host
	}
	if last.Status >= 300 || last.Status == 0 && last.Err != nil {
		var e *api.Error
		if errors.As(client.ReadFailure(last, t.c.Now()), &e) {
			return e
		}
	}
	if broken == nil && ctx.Err() != nil {
		broken = context.Cause(ctx)
	}
	if broken != nil {
		e := client.NetworkError(broken, last.Host, last.Status)
		if errors.Is(broken, client.ErrTooLarge) {
			e.Class = api.ClassUnreadable
		}
		return e
	}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code != codeRejected {
		return &api.Error{Class: wireClass(wire.Code), Code: api.Clean(fmt.Sprint(wire.Code), 20),
			Text: api.Clean(t.c.Key.RedactString(wire.Message), api.MaxErrorText)}
	}
	if last.Status == http.StatusOK && strings.HasPrefix(last.Header.Get("Content-Type"), "text/event-stream") {
		return &api.Error{Class: api.ClassNetwork, Reason: api.ReasonEnded.Reason(last.Host)}
	}
	return client.Unreadable(last, api.ReasonNotToolAnswer.Reason())
}

// wireClass is the class of an error code of JSON-RPC.
func wireClass(code int64) api.ErrorClass {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return api.ClassNotFound
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return api.ClassInvalid
	}
	return api.ClassServer
}
