package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
	"darkroom/ui/cli/run"
)

func (p *commands) loginCommand() *cobra.Command {
	return p.Command("login", run.AnyStore, p.login)
}

func (p *commands) login(ctx context.Context, s *state.Session, _ []string) error {
	base := s.Settings().BaseURL
	if err := run.UsableBase(s); err != nil {
		return err
	}
	if ring := s.KeyringState(ctx); !ring.Usable {
		return run.Sentencef("this system has no keyring: set DARKROOM_API_KEY")
	}
	typed, err := p.readHiddenKey()
	if err != nil {
		return run.Usagef("the key cannot be read: %s", run.FileError(err))
	}
	key, err := api.ParseKey(typed)
	if err != nil {
		return run.WithCode(run.ExitUsage, err)
	}
	if err := s.CheckKey(ctx, base, key); err != nil {
		return err
	}
	defer p.asking()()
	if err := s.UseKey(ctx, base, key, keys.InKeyring); err != nil {
		return run.Sentencef("the key works, but it is not kept: %s", err)
	}
	p.Println("%s is kept in your keyring (%s) for %s", key.String(), s.KeyringState(ctx).Name, s.Health().Base)
	if p.Env("DARKROOM_API_KEY") != "" {
		p.Notice(run.Sentencef("DARKROOM_API_KEY is set and wins over the keyring"))
	}
	return nil
}

// asking says so when the keyring takes longer than one does that needs no password.
func (p *commands) asking() (answered func() bool) {
	return p.Late(run.Sentencef("your keyring has not answered; it may be asking for its password in a window. Waiting up to %v; "+
		"Ctrl-C stops.", keys.Limit))
}

func (p *commands) logoutCommand() *cobra.Command {
	return p.Command("logout", run.AnyStore, func(ctx context.Context, s *state.Session, _ []string) error {
		if err := run.UsableBase(s); err != nil {
			return err
		}
		if ring := s.KeyringState(ctx); !ring.Usable {
			return run.Sentencef("this system has no keyring, so there is no key to remove")
		}
		defer p.asking()()
		err := s.Remote.Forget(ctx)
		switch {
		case errors.Is(err, keys.ErrNone):
			p.Println("there was no key in the keyring for this service")
			return nil
		case err == nil:
			p.Println("the key is removed from your keyring")
		}
		return err
	})
}

const maxKeyInput = 4096

// readHiddenKey reads a key without echo, or a line of standard input.
func (p *commands) readHiddenKey() (string, error) {
	if run.IsTerminal(p.In) {
		fmt.Fprint(p.Err, p.Say("API key (not shown): "))
		typed, err := term.ReadPassword(os.Stdin.Fd())
		fmt.Fprintln(p.Err)
		return string(typed), err
	}
	line, err := bufio.NewReader(io.LimitReader(p.In, maxKeyInput)).ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimSpace(line), err
}
