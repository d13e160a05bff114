package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

func (p *commands) simulateCommand() *cobra.Command {
	var o sim.Options
	var quota run.LimitFlag
	cmd := &cobra.Command{Use: "simulate", RunE: func(cmd *cobra.Command, _ []string) error {
		host, _, _ := net.SplitHostPort(o.Addr)
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) { // it takes every key
			return run.Usagef("--addr %q: the simulator listens on this machine alone; write a loopback address such as 127.0.0.1:0", o.Addr)
		}
		if _, err := api.ParseKey(cmp.Or(o.Key, demoKey)); err != nil {
			return run.Usagef("--key must begin with ak_, such as ak_test")
		}
		o.Credits = quota.Amount
		server, err := sim.Start(cmd.Context(), o)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			return run.Usagef("--addr %s is in use: choose another port, or 0 for a free one", o.Addr)
		case err != nil:
			return run.WithCode(run.ExitUsage, err)
		}
		defer server.Close()
		fmt.Fprintln(p.Out, server.URL())
		p.Remark("serving until interrupted (ctrl+c)")
		<-cmd.Context().Done()
		return nil
	}}
	flags := cmd.Flags()
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	flags.StringVar(&o.Key, "key", "", "the only key to accept")
	flags.Var(&quota, "credits", "credit quota of each key; default: none")
	flags.IntVar(&o.Calls, "calls", 0, "call quota of each key; 0: none")
	flags.Float64Var(&o.TimeScale, "time-scale", 1, "multiplies the times that jobs take")
	return cmd
}

// demoKey opens the built-in service; it is not a secret.
const demoKey = "ak_demo_0000000000000000"

func (p *commands) demoCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{Use: "demo", RunE: func(cmd *cobra.Command, _ []string) error {
		if err := p.needTerminal(); err != nil {
			return err
		}
		return p.demo(cmd.Context(), keep)
	}}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the demo's jobs and files for the next demo")
	p.linearFlag(cmd)
	return cmd
}

// demo runs the screens against a built-in service with folders of its own,
// which are thrown away at the end unless they are to be kept.
func (p *commands) demo(ctx context.Context, keep bool) error {
	settings, err := state.LoadSettings(p.Env)
	folder := filepath.Join(settings.DataDir, "demo")
	switch {
	case !keep:
		folder, err = os.MkdirTemp("", "darkroom-demo-")
		defer func() { _ = os.RemoveAll(folder) }()
	case err == nil:
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	scale, _ := strconv.ParseFloat(p.Env("DARKROOM_TIME_SCALE"), 64)
	server, err := sim.Start(ctx, sim.Options{Key: demoKey, TimeScale: scale})
	if err != nil {
		return run.Sentencef("the built-in service did not start: %s", err)
	}
	defer server.Close()
	env := run.Over(p.Env, map[string]string{ // all but the person's settings file and language
		"DARKROOM_BASE_URL": server.URL(), "DARKROOM_API_KEY": demoKey, "DARKROOM_LANG": p.Words.Lang(),
		"DARKROOM_BUDGET": "", "DARKROOM_BUDGET_MONTH": "",
		"DARKROOM_":          "", // nothing is spent: names that are not known stop nothing
		"DARKROOM_DOWNLOADS": filepath.Join(folder, "pictures"),
		"XDG_DATA_HOME":      filepath.Join(folder, "data"),
		"XDG_STATE_HOME":     filepath.Join(folder, "state"),
		"XDG_CACHE_HOME":     filepath.Join(folder, "cache"),
	})
	if settings, err = state.LoadSettings(env); err != nil {
		return run.WithCode(run.ExitUsage, err)
	}
	// A theme that is chosen stays in the demo, nothing is spent or held back, and
	// files need no command: the embedded service takes them itself.
	settings.ConfigFile, settings.Upload = filepath.Join(folder, "config", "darkroom", "config.toml"), []string{"darkroom demo"}
	settings.Budget, settings.PerMonth, settings.Problems, settings.Ways = 0, 0, nil, state.Settings{}.Ways
	take := func(file string) (string, error) {
		data, err := os.ReadFile(file)
		return server.Take(filepath.Base(file), data), err
	}
	p.passing = !keep
	return p.screens(ctx, state.Options{Settings: settings, Env: env, Version: Version, Demo: take, Poll: true, Document: p.Document})
}
