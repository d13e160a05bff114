package state

import (
	"context"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state/crash"
	"darkroom/state/media"
	"darkroom/state/queue"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// Names of types of the rooms below, so that callers need not know those.
type (
	Settings = settings.Settings
	Ways     = settings.Ways
	// Theme is how the screens are coloured.
	Theme = settings.Theme
	// Command is a person's own command on results.
	Command = settings.Command
	// KeyAction is an action of the screens whose keys can be set.
	KeyAction = settings.Action
	Profile   = settings.Profile
	Seen      = settings.Seen

	Job   = store.Job
	Row   = store.Row
	File  = store.File
	Query = store.Query
	Page  = store.Page
	Spent = store.Spent
	Line  = store.Line

	Sent         = store.Sent
	HistoryQuery = store.HistoryQuery

	Service    = remote.Service
	Listing    = remote.Listing
	Toolbox    = remote.Toolbox
	ToolClient = remote.ToolClient
	Refusal    = remote.Refusal

	Confirmed  = submit.Confirmed
	Together   = submit.Together
	Agreed     = submit.Agreed
	Offer      = queue.Offer
	Held       = store.Held
	ToolCall   = submit.ToolCall
	LostError  = submit.LostError
	ToolAnswer = submit.ToolAnswer

	Link = media.Link
)

// Queue holds the requests that several were confirmed together, and sends them
// one by one.
type Queue interface {
	// Agree records what a person agreed to and begins to send it. It returns the
	// ids of the jobs, none when this was recorded before; a *Refusal means that
	// nothing was.
	Agree(ctx context.Context, t Together) ([]string, error)
	// Lists are the lists that a prompt can name.
	Lists(ctx context.Context) (expand.Lists, error)
	// Pause lets the agreement of a held job wait for the person. Offer gives what
	// is asked before it, or that job alone, is sent, and Resume sends it.
	Pause(ctx context.Context, id string) error
	Offer(ctx context.Context, id string, all bool) (Offer, error)
	Resume(ctx context.Context, offer Offer) error
	// Move puts a held job earlier or later, Remove deletes some.
	Move(ctx context.Context, id string, earlier bool) error
	Remove(ctx context.Context, ids ...string) error
	// Held are the requests that wait with a held job, itself among them.
	Held(ctx context.Context, id string) ([]Held, error)
}

// MostCommands is how many own commands there can be.
const MostCommands = settings.MostCommands

// Errors that callers distinguish with errors.Is.
var (
	ErrNoBase     = remote.ErrNoBase
	ErrNoKey      = remote.ErrNoKey
	ErrKeyRefused = remote.ErrKeyRefused
	ErrNoJob      = store.ErrMissing
	ErrReadOnly   = store.ErrUnwritable
	ErrNotHeld    = queue.ErrNotHeld

	errClosed = submit.ErrClosed
)

// CodeAskTool is the code of the Refusal of a tool that is declared read-only
// while a budget is set.
const CodeAskTool = submit.CodeAskTool

// What a create answers with.
const (
	AnswersJob    = settings.AnswersJob
	AnswersResult = settings.AnswersResult
)

// LoadSettings reads the environment through env and the settings file.
func LoadSettings(env func(string) string) (Settings, error) { return settings.Load(env) }

// KeyActions are the actions of the screens whose keys can be set, by place.
func KeyActions() []KeyAction { return settings.Actions() }

// KeysOf are the keys of an action: those that were set, and the reserved ones
// of its usual keys.
func KeysOf(set, usual []string) []string { return settings.KeysOf(set, usual) }

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return submit.NewConfirmID() }

// ToolClients gives ready configurations of other programs for an entry at
// address, which is a URL of the service.
func ToolClients(address string) []ToolClient { return remote.ToolClients(address) }

// ToolDoubt reports whether an error of an agreed call leaves open whether the
// tool ran and was charged.
func ToolDoubt(err error) bool { return submit.ToolUnknown(err) }

// SavedRequest reads the request that a file holds: as text, or as the recipe
// within or beside a result.
func SavedRequest(path string) (r api.Request, ok bool, err error) { return media.SavedRequest(path) }

// OthersEnviron is an environment for programs that are not ours, without our
// variables, the key among them.
func OthersEnviron(env []string) []string { return media.OthersEnviron(env) }

// CrashAt panics where DARKROOM_CRASH says so, in a binary built to be broken by
// tests, and does nothing in every other.
func CrashAt(place string) { crash.At(place) }

// Fetcher is what a Session needs of the media room; *media.Fetcher is the
// real one.
type Fetcher interface {
	media.Saver
	Public(ctx context.Context, address string) (Link, error)
	Upload(ctx context.Context, command []string, file string, env []string) (string, error)
}
