package state

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state/media"
	"darkroom/state/store"
)

const noteMayAsk = "may_ask_materials"

// Materials is what is done with addresses and files of materials before a
// request is sent. Neither the key nor anything else of the session goes along.
type Materials interface {
	// Public asks a material's host once whether everybody can read the address,
	// and gives what the answer says of the file. The error says why not, in words
	// that follow the material's name.
	Public(ctx context.Context, address string) (Link, error)
	// MayAsk reports whether the person lets hosts be asked, once and for all.
	MayAsk(ctx context.Context) bool
	// LetBeAsked keeps that agreement.
	LetBeAsked(ctx context.Context) error
	// Result is the job with a result at an address, number and path of its saved file,
	// and when the address stops working, of any address; zero if that is not known.
	Result(ctx context.Context, address string) (job string, f File, end time.Time, err error)
	// Find is where a material is that is named: @hero is one of the cast, job:ID/1
	// a result, with a fresh address if its own has expired. Another text is itself.
	Find(ctx context.Context, text string) (Found, error)
	// Upload hands a file to the person's command and gives the public address.
	Upload(ctx context.Context, file string) (string, error)
	// Paste saves the picture on the clipboard beside the results, and gives its path.
	Paste(ctx context.Context) (string, error)
	// SaveFrame saves a PNG out of the file of a result beside it, and gives its path.
	SaveFrame(ctx context.Context, clip string, at time.Duration, png []byte) (string, error)
}

// Found is a material that was named.
type Found struct {
	Address string           // a URL, or a path of this machine
	Kind    api.MaterialKind // of a result; else ""
	Job     string           // whose result it is; else ""
	Path    string           // where the result was saved; "" when it was not
	Ends    time.Time        // when the service said that the address of a result stops working, if it did
}

// Materials hands out what is done with materials.
func (s *Session) Materials() Materials { return materials{s.engine} }

type materials struct{ *engine }

func (m materials) Public(ctx context.Context, address string) (Link, error) {
	return m.fetcher(m.Remote.Base()).Public(ctx, address)
}

func (m materials) MayAsk(ctx context.Context) bool {
	v, err := m.db().Note(ctx, noteMayAsk)
	return err == nil && v != ""
}

func (m materials) LetBeAsked(ctx context.Context) error {
	return store.Explain(m.db().SetNote(ctx, noteMayAsk, "yes"))
}

func (m materials) Result(ctx context.Context, address string) (job string, f File, end time.Time, err error) {
	job, f, end, err = m.db().FileAt(ctx, address)
	return job, f, end, store.Explain(err)
}

// Find asks the service for a fresh address only if the known one has expired.
func (m materials) Find(ctx context.Context, text string) (Found, error) {
	if name, named := strings.CutPrefix(text, "@"); named {
		cast, err := m.SavedTexts(Cast)
		n := slices.IndexFunc(cast, func(one SavedText) bool { return one.Name == name })
		if n < 0 {
			if _, absent := os.Stat(filepath.Join(filepath.Dir(m.Get().ConfigFile), Cast, name+".txt")); err == nil || os.IsNotExist(absent) {
				err = api.Sentence("there is no material named %v: it is a file of the folder cast next to the settings file").
					Fault(nil, api.Clean(text, 80))
			}
			return Found{}, err
		}
		if text = strings.TrimSpace(cast[n].Text); text != "" && !strings.ContainsAny(text, ":/.") { // the id of a job
			text = "job:" + text
		}
	}
	result, ours := strings.CutPrefix(text, "job:")
	if !ours {
		return Found{Address: text}, nil
	}
	id, number, _ := strings.Cut(result, "/")
	n, _ := strconv.Atoi(cmp.Or(number, "1"))
	j, err := m.Submitter.Job(ctx, id)
	if err != nil {
		return Found{}, err
	}
	found := foundIn(&j, n)
	if api.LinkOver(found.Address, found.Ends, time.Now()) {
		if j, err = m.Poller.FreshLinks(ctx, id); err != nil {
			return Found{}, err
		}
		found = foundIn(&j, n)
	}
	if found.Address == "" && len(j.Results) > 0 && (n < 1 || n > len(j.Results)) {
		return found, api.Sentence("job %v has no result %v").Fault(fs.ErrNotExist, j.ID, api.Clean(number, 80))
	}
	if found.Address == "" {
		return found, api.Sentence("job %v has no result with a URL").Fault(nil, j.ID)
	}
	return found, nil
}

// foundIn is the result of a job with a number, from 1 on.
func foundIn(j *Job, n int) Found {
	found := Found{Job: j.ID, Kind: api.MaterialImage, Ends: j.ExpiresAt}
	if j.Kind == api.KindVideo {
		found.Kind = api.MaterialVideo
	}
	if n > 0 && n <= len(j.Results) {
		found.Address = j.Results[n-1].URL
	}
	if f, saved := api.Find(j.Files, func(f File) bool { return f.N == n }); saved {
		found.Address, found.Path = cmp.Or(f.URL, found.Address), f.Path
	}
	return found
}

func (m materials) Upload(ctx context.Context, file string) (address string, err error) {
	ctx, done := m.program(ctx)
	defer done()
	if m.o.Demo != nil {
		address, err = m.o.Demo(file)
	} else {
		address, err = m.fetcher(m.Remote.Base()).Upload(ctx, m.Current.Get().Upload, file)
	}
	if err == nil {
		_ = m.db().NoteFrame(ctx, address, file, 0) // without it the lineage of a frame is not known
	}
	return address, err
}

func (m materials) Paste(ctx context.Context) (string, error) {
	ctx, done := m.program(ctx)
	defer done()
	return media.Paste(ctx, m.Current.Get().Downloads, time.Now())
}

func (m materials) SaveFrame(ctx context.Context, clip string, at time.Duration, png []byte) (string, error) {
	path, err := media.SaveFrame(m.Current.Get().Downloads, clip, at, png)
	if err == nil {
		_ = m.db().NoteFrame(ctx, path, clip, at.Seconds()) // as above
	}
	return path, err
}

// escaped is a character before which shells need a backslash.
var escaped = regexp.MustCompile(`\\([[:punct:] ])`)

// LocalFile reads a path of this machine: absolute, below the home folder, as a
// file address, or quoted as terminals do it when a file is dropped on them. A share
// of Windows is none: to look for it would sign in at the host that the path names.
func LocalFile(text, home string) (path string, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text); n > 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		text = strings.NewReplacer(`'\''`, `'`, `'"'"'`, `'`).Replace(text[1 : n-1])
	} else if filepath.Separator == '/' {
		text = escaped.ReplaceAllString(text, "$1")
	}
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		text = u.Path
		if drive := strings.TrimPrefix(text, "/"); filepath.VolumeName(drive) != "" {
			text = drive
		}
	}
	if rest, below := strings.CutPrefix(filepath.ToSlash(text), "~/"); below && home != "" {
		text = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(text) || strings.HasPrefix(filepath.ToSlash(text), "//") || strings.ContainsFunc(text, unicode.IsControl) ||
		filepath.Base(text) == string(filepath.Separator) {
		return "", false
	}
	return filepath.Clean(text), true
}

// LastModel is the model last used for a kind, or "".
func (e *engine) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	return explained(e.db().LastModel(ctx, kind))
}

// Quote is Estimate for tables of prices, at most four at a time. A caller that
// goes away does not end a question; its place stays taken until the service has
// answered.
func (e *engine) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	select {
	case e.quotes <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	}
	var price api.Estimate
	var err error
	done := make(chan struct{})
	e.tasks.Go(func() {
		defer func() { close(done); <-e.quotes }()
		price, err = e.Remote.Estimate(e.ctx, r)
	})
	select {
	case <-done:
		return price, err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Plans gives the saved plans that can be read, the newest first.
func (e *engine) Plans(ctx context.Context) ([]pricing.Plan, error) {
	kept, err := e.db().Plans(ctx)
	return api.Pick(kept, func(k [2]string) (pricing.Plan, bool) {
		items, ok := pricing.ReadItems([]byte(k[1]))
		return pricing.Plan{Name: k[0], Items: items}, ok
	}), store.Explain(err)
}

// SavePlan keeps a plan under its name; an empty one is removed.
func (e *engine) SavePlan(ctx context.Context, plan pricing.Plan) error {
	return store.Explain(e.db().SavePlan(ctx, plan.Name, plan.Items, time.Now()))
}

// Affords refuses what the budgets do not allow now, and everything while nothing can be sent,
// before a person is asked about it. That nothing is left is a UsedUp Refusal, to which they may agree.
func (e *engine) Affords(ctx context.Context, wanted api.Estimate) error {
	err := e.Submitter.Ready(false)
	if refusal, ok := errors.AsType[*Refusal](err); err != nil && !(ok && refusal.UsedUp()) {
		return err
	}
	return cmp.Or(store.Explain(e.db().Affords(ctx, &store.Job{Estimate: wanted}, e.Current.Budgets(), nil, time.Now())), err)
}

// Spend is what was spent since a moment, by darkroom's own ledger.
func (e *engine) Spend(ctx context.Context, since time.Time) (Spend, error) {
	return explained(e.db().Ledger(ctx, since))
}
