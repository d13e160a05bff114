package state

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/settings"
)

// findKey looks for a key: environment, then keyring in the background.
func (s *Session) findKey() {
	set := s.Settings()
	if set.BaseURL == "" {
		s.change(func(st *Standing) { st.KeyError = ErrNoBase.Error() })
		return
	}
	base, err := api.ParseBase(set.BaseURL)
	if err != nil {
		s.change(func(st *Standing) { st.KeyError = err.Error() })
		return
	}
	s.mu.Lock()
	s.base = base
	s.mu.Unlock()
	s.change(func(st *Standing) { st.Base = shownBase(base) })
	if strings.TrimSpace(set.EnvKey) != "" {
		key, err := api.ParseKey(set.EnvKey)
		if err != nil {
			s.change(func(st *Standing) { st.KeyError = "DARKROOM_API_KEY: " + err.Error() })
			return
		}
		source := "environment"
		if s.o.Demo {
			source = "demo"
		}
		s.connect(base, key, source)
		return
	}
	s.change(func(st *Standing) { st.KeyPending = true })
	s.start(func() { s.askKeyring(base) })
}

// askKeyring waits for the keyring: 3 s until its silence is told, then on, as
// a person may be typing its password.
func (s *Session) askKeyring(base *url.URL) {
	ctx, cancel := context.WithTimeout(s.ctx, keys.Patience)
	key, err := s.guard.Load(ctx, origin(base))
	cancel()
	if waiting(err) {
		s.change(func(st *Standing) { st.KeyError = err.Error() })
		key, err = s.guard.Load(s.ctx, origin(base))
	}
	if s.linked() != nil || s.ctx.Err() != nil {
		s.change(func(st *Standing) { st.KeyPending = false })
		return // a key was typed meanwhile
	}
	if err != nil {
		text := err.Error()
		if errors.Is(err, keys.ErrNone) {
			text = ErrNoKey.Error()
		}
		s.change(func(st *Standing) { st.KeyPending, st.KeyError = false, text })
		return
	}
	s.connect(base, key, "keyring")
}

func waiting(err error) bool {
	var e *keys.Error
	return errors.As(err, &e) && e.Trouble == keys.TroubleWaiting
}

// connect takes a key into use; polling resumes in place.
func (s *Session) connect(base *url.URL, key api.Key, source string) {
	l := &link{base: base.String(), key: key, service: s.client(base, key), fetcher: s.fetcher(base)}
	s.mu.Lock()
	s.base, s.link, s.creditsAt = base, l, time.Time{}
	s.mu.Unlock()
	s.change(func(st *Standing) {
		st.Base, st.KeyHint, st.KeySource = shownBase(base), key.String(), source
		st.KeyPending, st.KeyError, st.KeyRefused, st.Trouble = false, "", false, ""
	})
	s.wake()
}

// leastCallScale keeps the limits of single calls at a tenth or more: a time
// scale makes waits short, but a busy machine needs as long as ever to answer.
const leastCallScale = 0.1

func callScale(scale float64) float64 { return max(scale, leastCallScale) }

func (s *Session) client(base *url.URL, key api.Key) Service {
	set := s.Settings().WaysFor(base.String())
	method := set.Estimate
	if method == "" {
		seen, _ := s.seen(s.ctx, base.String()) // what is not known is found out again
		method = seen.Estimate
	}
	o := client.Options{
		Base: base, Key: key, Scale: callScale(s.scale), UserAgent: "darkroom/" + s.o.Version, Log: s.o.Log,
		JobID: set.JobID, EstimatePost: method == "POST", Spill: s.inboxFile,
		Learnt: func(method string) { s.learn(base.String(), func(seen *settings.Seen) { seen.Estimate = method }) },
	}
	if o.Log == nil && s.Settings().Log {
		o.Log = (&logFile{path: s.Settings().LogPath(), most: logMost, key: key}).printf
	}
	if s.o.Connect != nil {
		return s.o.Connect(o)
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

func (s *Session) fetcher(base *url.URL) Fetcher {
	set := s.Settings()
	o := media.Options{Base: base, Dir: set.Downloads, Scale: callScale(s.scale), Recipes: set.Recipes}
	if s.o.Fetcher != nil {
		return s.o.Fetcher(o)
	}
	return media.New(o)
}

// CheckKey tries a key at a base URL with one call (GET models) and keeps
// neither.
func (s *Session) CheckKey(ctx context.Context, base string, key api.Key) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	_, err = s.client(u, key).Models(ctx)
	var e *api.Error
	if errors.As(err, &e) && keyRefused(e) {
		return refusedKey{e}
	}
	return err
}

// refusedKey is ErrKeyRefused in the service's own words.
type refusedKey struct{ cause *api.Error }

func (r refusedKey) Error() string      { return r.cause.Error() }
func (r refusedKey) Unwrap() error      { return r.cause }
func (refusedKey) Is(target error) bool { return target == ErrKeyRefused }

// UseKey takes a key into use and keeps it where keep says: keys.InKeyring or
// keys.ForSession. Polling resumes in place. The base URL is written to the
// settings file unless the environment sets it. The key is in use even when it
// could not be kept; the error then says why.
func (s *Session) UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	if key.IsZero() {
		return ErrNoKey
	}
	var kept, saved error
	s.mu.Lock()
	known := s.base != nil && s.base.String() == u.String()
	s.mu.Unlock()
	set := s.Settings()
	from, file := set.BaseFrom, set.ConfigFile
	if !known {
		s.set.Change(func(set *settings.Settings) { set.BaseURL = u.String() })
	}
	s.connect(u, key, "session") // a keyring that waits for a person holds nothing up
	if keep == keys.InKeyring {
		if kept = s.guard.Store(ctx, origin(u), key); kept == nil {
			s.change(func(st *Standing) { st.KeySource = "keyring" })
		}
	}
	written := known && from == "file"
	if !written && from != "environment" && from != "demo" && from != "flag" && file != "" {
		if saved = settings.SaveBaseURL(file, u.String()); saved == nil {
			s.set.Change(func(set *settings.Settings) { set.BaseFrom = "file" })
		}
	}
	return errors.Join(kept, saved)
}

// Forget removes the key from the keyring and from this session.
func (s *Session) Forget(ctx context.Context) error {
	s.mu.Lock()
	base := s.base
	s.link = nil
	s.mu.Unlock()
	s.change(func(st *Standing) {
		st.KeyHint, st.KeySource, st.KeyRefused, st.KeyError = "", "", false, ErrNoKey.Error()
	})
	if base == nil {
		return nil
	}
	err := s.guard.Remove(ctx, origin(base))
	if errors.Is(err, keys.ErrNone) {
		return nil
	}
	return err
}

// KeyringState says whether a keyring is there, in words, and its name.
func (s *Session) KeyringState(ctx context.Context) keys.State { return s.guard.Check() }

// origin is the keyring's account, so that a key is never sent to another host.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

func shownBase(u *url.URL) string { return u.Host + u.EscapedPath() }
