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

// failure says why there was no answer.
func (w *connection) failure(ctx context.Context, err error) *api.Error {
	last, broken, called := w.stop()
	e := w.reason(ctx, err, last, broken)
	e.Sent = called && !w.provesRefusal(err, e, last)
	return e
}

// provesRefusal reports whether the outcome of a call that was sent proves that the
// tool did not run. It is the outcome table of creates; an error of JSON-RPC
// stands for a refusal inside a 2xx.
func (w *connection) provesRefusal(err error, e *api.Error, last client.Trip) bool {
	if last.Status < 200 || last.Status > 299 {
		phase := client.Classify(last, api.KindImage).Phase
		return phase == api.PhaseRejected || phase == api.PhaseNotSent
	}
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code == codeRejected || e.Class == api.ClassNetwork {
		return false
	}
	if wireClass(wire.Code) != api.ClassServer {
		return true
	}
	// Every other code is the tool's or the server's own, as a 5xx is. Only words
	// that say why nothing is generated prove more.
	said, _ := json.Marshal(map[string]any{"error": map[string]string{"message": wire.Message}})
	switch read.Error(last.Status, nil, said).Class {
	case api.ClassCredits, api.ClassCalls, api.ClassRate, api.ClassKey, api.ClassModeration:
		return true
	}
	return false
}

// codeRejected is the library's own code for a message that never reached a server.
const codeRejected = -32005

func (w *connection) reason(ctx context.Context, err error, last client.Trip, broken error) *api.Error {
	if last.Status >= 300 || last.Status == 0 && last.Err != nil {
		if e, ok := errors.AsType[*api.Error](client.ReadFailure(last)); ok {
			return e
		}
	}
	if broken == nil && ctx.Err() != nil {
		broken = context.Cause(ctx)
	}
	if broken != nil {
		last.Err = broken
		return client.NetworkError(last)
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok && wire.Code != codeRejected {
		return &api.Error{Class: wireClass(wire.Code), Code: api.Clean(fmt.Sprint(wire.Code), 20),
			Text: api.Clean(w.c.Key.RedactString(wire.Message), api.MaxErrorText)}
	}
	if last.Status == http.StatusOK && strings.HasPrefix(last.Header.Get("Content-Type"), "text/event-stream") {
		return &api.Error{Class: api.ClassNetwork,
			Reason: api.Sentence("the service at %v ended the connection before the response was complete").Reason(last.Host)}
	}
	return client.Unreadable(last, api.Sentence("it is not a response of the tool protocol").Reason())
}

func wireClass(code int64) api.ErrorClass {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return api.ClassNotFound
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return api.ClassInvalid
	}
	return api.ClassServer
}
