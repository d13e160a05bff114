package state

import (
	"context"

	"darkroom/state/media"
	"darkroom/state/poll"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// Names of types of the rooms below, so that callers need not know those.
type (
	Settings = settings.Settings
	// Theme is how the screens are coloured.
	Theme = settings.Theme
	// Command is a person's own command on results.
	Command = settings.Command
	Profile = settings.Profile
	// Grant is what an agent may do by itself.
	Grant = settings.Agent

	Job   = store.Job
	Row   = store.Row
	File  = store.File
	Query = store.Query
	Page  = store.Page
	Spent = store.Spent
	Line  = store.Line
	Sum   = store.Sum

	Sent         = store.Sent
	HistoryQuery = store.HistoryQuery

	Listing    = remote.Listing
	Toolbox    = remote.Toolbox
	ToolClient = remote.ToolClient
	Refusal    = remote.Refusal

	Confirmed  = submit.Confirmed
	Together   = submit.Together
	Agreed     = submit.Agreed
	Held       = store.Held
	Asked      = store.Asked
	ToolCall   = submit.ToolCall
	LostError  = submit.LostError
	ToolAnswer = submit.ToolAnswer

	Link = media.Link
)

// Errors that callers distinguish with errors.Is.
var (
	ErrNoBase     = remote.ErrNoBase
	ErrNoKey      = remote.ErrNoKey
	ErrKeyRefused = remote.ErrKeyRefused
	ErrNoJob      = store.ErrMissing
	ErrReadOnly   = store.ErrReadOnly

	errClosed = submit.ErrClosed
)

// Constants of the rooms below, which say more of each.
const (
	MaxCommands   = settings.MaxCommands
	CodeAskTool   = submit.CodeAskTool
	AnswersJob    = settings.AnswersJob
	AnswersResult = settings.AnswersResult
)

// Functions of the rooms below, which say more of each.
var (
	LoadSettings    = settings.Load
	Getenv          = settings.Getenv
	KeyActions      = settings.Actions // whose keys can be set, by place
	KeysOf          = settings.KeysOf  // of an action
	IsEntry         = settings.IsEntry // whether a name can be that of an agent's entry
	PromptName      = settings.PromptName
	NewConfirmID    = submit.NewConfirmID
	ToolClients     = remote.ToolClients  // configurations of other programs for an entry
	AgentClients    = remote.AgentClients // and of those that start darkroom mcp
	ReplaceFile     = settings.ReplaceFile
	ToolDoubt       = submit.ToolUnknown // whether a tool may have run and been charged
	SavedRequest    = media.SavedRequest // in a text, or within or next to a result
	UploadArguments = media.UploadArguments
	OthersEnviron   = media.OthersEnviron // for programs that are not ours
	CheckCopy       = media.CheckCopy
	CopyName        = media.CopyName
	GivenUp         = poll.GivenUp // whether an ended job may go on when it is refreshed
	CrashAt         = settings.CrashAt
)

// Fetcher is what a Session needs of the media room, a *media.Fetcher.
type Fetcher interface {
	media.Saver
	Public(ctx context.Context, address string) (Link, error)
	Upload(ctx context.Context, command []string, file string, env []string) (string, error)
}
