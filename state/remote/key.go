package remote

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/state/settings"
)

// FindKey looks for a key: environment, then keyring in the background.
func (r *Remote) FindKey() {
	set := r.o.Settings.Get()
	base, err := api.ParseBase(set.BaseURL)
	if set.BaseURL == "" {
		err = ErrNoBase
	}
	if err != nil {
		r.update(func(h *Health) { h.KeyError = api.ReasonOf(err) })
		return
	}
	r.mu.Lock()
	r.base = base
	r.mu.Unlock()
	r.update(func(h *Health) { h.Base = shownBase(base) })
	if strings.TrimSpace(set.EnvKey) != "" {
		key, err := api.ParseKey(set.EnvKey)
		if err != nil {
			r.update(func(h *Health) { h.KeyError = api.Sentence("DARKROOM_API_KEY: %v").Reason(err) })
			return
		}
		r.connect(base, key, "environment")
		return
	}
	r.update(func(h *Health) { h.KeyPending = true })
	r.o.Go(func() { r.askKeyring(base) })
}

// askKeyring waits for the keyring: after 3 s Health says that it has not
// answered, and it waits on, as a person may be typing its password.
func (r *Remote) askKeyring(base *url.URL) {
	ctx, cancel := context.WithTimeout(r.ctx, keys.Patience)
	key, err := r.o.Guard.Load(ctx, account(base))
	cancel()
	if keys.Waiting(err) {
		r.update(func(h *Health) { h.KeyError = api.ReasonOf(err) })
		key, err = r.o.Guard.Load(r.ctx, account(base))
	}
	if r.Connection() != nil || r.ctx.Err() != nil {
		r.update(func(h *Health) { h.KeyPending = false })
		return // a key was typed meanwhile
	}
	if err != nil {
		why := api.ReasonOf(err)
		if errors.Is(err, keys.ErrNone) {
			why = ErrNoKey.Why()
		}
		r.update(func(h *Health) { h.KeyPending, h.KeyError = false, why })
		return
	}
	r.connect(base, key, "keyring")
}

// connect takes a key into use; polling resumes in place.
func (r *Remote) connect(base *url.URL, key api.Key, source string) {
	c := &Connection{URL: base, Base: base.String(), Key: key, Service: r.client(base, key)}
	r.mu.Lock()
	r.base, r.conn = base, c
	r.mu.Unlock()
	r.update(func(h *Health) {
		h.Base, h.KeyHint, h.KeySource = shownBase(base), key.String(), source
		h.KeyPending, h.KeyError, h.KeyRefused, h.Trouble = false, api.Reason{}, false, api.Reason{}
	})
	r.o.Changed()
}

// CheckKey tries a key at a base URL with one call (GET models) and keeps
// neither.
func (r *Remote) CheckKey(ctx context.Context, base string, key api.Key) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	_, _, err = r.client(u, key).Models(ctx)
	var e *api.Error
	if errors.As(err, &e) && RefusesKey(e) {
		return refusedKey{e}
	}
	return err
}

// refusedKey is ErrKeyRefused in the service's own words.
type refusedKey struct{ cause *api.Error }

func (k refusedKey) Error() string      { return k.cause.Error() }
func (k refusedKey) Unwrap() error      { return k.cause }
func (refusedKey) Is(target error) bool { return target == ErrKeyRefused }

// UseKey takes a key into use and keeps it where keep says: keys.InKeyring or
// keys.ForSession. Polling resumes in place. The base URL is written to the
// settings file unless the environment sets it. The key is in use even when it
// could not be kept; the error then says why.
func (r *Remote) UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	if key.IsZero() {
		return ErrNoKey
	}
	used := r.Base()
	known := used != nil && used.String() == u.String()
	if !known {
		r.o.Settings.Change(func(s *settings.Settings) { s.BaseURL = u.String() })
	}
	r.connect(u, key, "session") // a keyring that waits for a person holds nothing up
	var kept error
	if keep == keys.InKeyring {
		if kept = r.o.Guard.Store(ctx, account(u), key); kept == nil {
			r.update(func(h *Health) { h.KeySource = "keyring" })
		}
	}
	return errors.Join(kept, r.saveBase(u, known))
}

// saveBase writes the address into the settings file, unless it is there
// already or comes from elsewhere.
func (r *Remote) saveBase(u *url.URL, known bool) error {
	set := r.o.Settings.Get()
	if set.ConfigFile == "" || set.BaseFrom == "environment" || known && set.BaseFrom == "file" {
		return nil
	}
	if err := settings.Save(set.ConfigFile, u.String(), "base_url"); err != nil {
		return err
	}
	r.o.Settings.Change(func(s *settings.Settings) { s.BaseFrom = "file" })
	return nil
}

// Forget removes the key from the keyring and from this session.
func (r *Remote) Forget(ctx context.Context) error {
	r.mu.Lock()
	base := r.base
	r.conn = nil
	r.mu.Unlock()
	r.update(func(h *Health) {
		h.KeyHint, h.KeySource, h.KeyRefused, h.KeyError = "", "", false, ErrNoKey.Why()
	})
	if base == nil {
		return nil
	}
	err := r.o.Guard.Remove(ctx, account(base))
	if errors.Is(err, keys.ErrNone) {
		return nil
	}
	return err
}

// ExamineKeyring is KeyringState, and asks the keyring itself how it is.
func (r *Remote) ExamineKeyring() keys.State { return r.o.Guard.Examine() }

// KeyringState says whether a keyring is there, in words, and its name.
func (r *Remote) KeyringState(ctx context.Context) keys.State { return r.o.Guard.Check() }

// account is the keyring's name for a service: its origin, so that a key is
// never sent to another host.
func account(u *url.URL) string { return u.Scheme + "://" + u.Host }

func shownBase(u *url.URL) string { return u.Host + u.EscapedPath() }
