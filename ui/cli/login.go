package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
)

func (p *program) loginCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "login",
		Short: "Check an API key and keep it in the OS keyring",
		Long: "Reads the key from a hidden prompt, or from standard input when that is not a terminal,\n" +
			"checks it with one call, and keeps it in the OS keyring for this service alone.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withAnyStore(cmd.Context(), false, func(s *state.Session) error { return p.login(cmd, s) })
		},
	}
}

func (p *program) login(cmd *cobra.Command, s *state.Session) error {
	ctx := cmd.Context()
	base := s.Settings().BaseURL
	if err := usableBase(s.Settings()); err != nil {
		return err
	}
	if ring := s.KeyringState(ctx); !ring.Usable {
		return sentencef("the key was not asked for, because it could not be kept: %s. Set DARKROOM_API_KEY for single runs", because(ring.Why))
	}
	typed, err := p.readKey()
	if err != nil {
		return usage("the key cannot be read: %s", fileError(err))
	}
	key, err := api.ParseKey(typed)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if err := s.CheckKey(ctx, base, key); err != nil {
		return err
	}
	if err := p.asking(func() error { return s.UseKey(ctx, base, key, keys.InKeyring) }); err != nil {
		return sentencef("the key works, but it is not kept: %s", err)
	}
	fmt.Fprintln(p.out, p.say("%s is kept in your keyring (%s) for %s", key.String(), s.KeyringState(ctx).Name, s.Standing().Base))
	if p.env("DARKROOM_API_KEY") != "" {
		p.notice(sentencef("DARKROOM_API_KEY is set and wins over the keyring"))
	}
	return nil
}

// asking runs a question to the keyring, and says so when it takes longer than
// a keyring does that asks nobody for a password.
func (p *program) asking(do func() error) error {
	late := time.AfterFunc(keys.Patience, func() {
		p.notice(sentencef("your keyring has not answered; it may be asking for its password in a window. Waiting up to %v; Ctrl-C stops.", keys.Limit))
	})
	defer late.Stop()
	return do()
}

func (p *program) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Remove the API key from the OS keyring",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withAnyStore(cmd.Context(), false, func(s *state.Session) error {
				if err := usableBase(s.Settings()); err != nil {
					return err
				}
				if err := p.asking(func() error { return s.Forget(cmd.Context()) }); err != nil {
					if errors.Is(err, keys.ErrNone) {
						fmt.Fprintln(p.out, p.say("there was no key in the keyring for this service"))
						return nil
					}
					return err
				}
				fmt.Fprintln(p.out, p.say("the key is removed from your keyring"))
				return nil
			})
		},
	}
}

// maxKeyInput is how much of standard input is read for a key.
const maxKeyInput = 4096

// readHiddenKey reads a key without echo, or a line of standard input.
func (p *program) readHiddenKey() (string, error) {
	if term.IsTerminal(os.Stdin.Fd()) {
		fmt.Fprint(p.err, p.say("API key (not shown): "))
		typed, err := term.ReadPassword(os.Stdin.Fd())
		fmt.Fprintln(p.err)
		return string(typed), err
	}
	line, err := bufio.NewReader(io.LimitReader(p.in, maxKeyInput)).ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimSpace(line), err
}
