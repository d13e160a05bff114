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

// FindKey looks for a key in the environment, or in the keyring in the background.
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
	kept := strings.TrimSpace(set.EnvKey) == ""
	r.update(func(h *Health) {
		r.base = base
		h.Base, h.KeyPending = shownBase(base), kept
	})
	if kept {
		r.o.Go(func() { r.askKeyring(base) })
		return
	}
	key, err := api.ParseKey(set.EnvKey)
	if err != nil {
		r.update(func(h *Health) { h.KeyError = whyNotKey.Reason(err) })
		return
	}
	r.connect(base, key, "environment")
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

func (r *Remote) connect(base *url.URL, key api.Key, source string) {
	c := &Connection{URL: base, Base: base.String(), Key: key, Service: r.client(base, key)}
	r.update(func(h *Health) {
		r.base, r.conn = base, c
		*h = Health{Base: shownBase(base), KeyHint: key.String(), KeySource: source, Online: h.Online, RetryAt: h.RetryAt}
	})
	r.o.Changed()
}

// CheckKey tries a key at a base URL with one call (GET models), and keeps neither.
func (r *Remote) CheckKey(ctx context.Context, base string, key api.Key) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	_, _, err = r.client(u, key).Models(ctx)
	if e, ok := errors.AsType[*api.Error](err); ok && RefusesKey(e) {
		refused := *e // in the service's own words
		refused.Cause = ErrKeyRefused
		return &refused
	}
	return err
}

// UseKey takes a key into use, and keeps it and the base URL, which goes into the
// settings file unless the environment sets it. The key is in use even if it could
// not be kept; the error then says why.
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
	r.o.Settings.Change(func(s *settings.Settings) { s.BaseURL = u.String() })
	r.connect(u, key, "session") // a keyring that waits for a person holds nothing up
	var kept error
	if keep == keys.InKeyring {
		if kept = r.o.Guard.Store(ctx, account(u), key); kept == nil {
			r.update(func(h *Health) { h.KeySource = "keyring" })
		}
	}
	set := r.o.Settings.Get()
	if set.ConfigFile == "" || set.BaseFrom == "environment" || known && set.BaseFrom == "file" {
		return kept
	}
	if err = r.o.Settings.Save(u.String(), "base_url"); err == nil {
		r.o.Settings.Change(func(s *settings.Settings) { s.BaseFrom = "file" })
	}
	return errors.Join(kept, err)
}

// Forget removes the key from the keyring and from this session.
func (r *Remote) Forget(ctx context.Context) error {
	base := r.Base()
	r.update(func(h *Health) {
		r.conn = nil
		h.KeyHint, h.KeySource, h.KeyRefused, h.KeyError = "", "", false, ErrNoKey.Why()
	})
	if base != nil {
		if err := r.o.Guard.Remove(ctx, account(base)); !errors.Is(err, keys.ErrNone) {
			return err
		}
	}
	return nil
}

// ExamineKeyring is KeyringState, and asks the keyring how it is.
func (r *Remote) ExamineKeyring() keys.State { return r.o.Guard.Examine() }

// KeyringState says whether a keyring is there, in words, and its name.
func (r *Remote) KeyringState(ctx context.Context) keys.State { return r.o.Guard.Check() }

// account is the keyring's name for a service: its origin.
func account(u *url.URL) string { return u.Scheme + "://" + u.Host }

func shownBase(u *url.URL) string { return u.Host + u.EscapedPath() }
