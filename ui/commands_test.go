package ui

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
)

func TestOwnCommandRunsOnTheChosenResult(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, withCommands, func(p *pilot) {
		ran := func(want ...string) {
			t.Helper()
			p.pass(time.Second)
			var got []string
			for _, line := range p.session.log {
				if len(line) > 4 && line[:4] == "run " {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("there ran %q, want %q", got, want)
			}
			p.session.log = nil
		}
		p.keys("alt+2", "j", "j")
		p.pass(time.Second)
		row, _ := p.app.screens[p.app.at].(interface{ Row() (state.Row, bool) }).Row()
		p.keys("B")
		ran("run copy to r2 " + row.ID + " 1")
		p.shows("✓ copy to r2 is done · all is there")
		p.keys("g", "B", "g")
		ran("run copy to r2 " + row.ID + " 1")
		p.keys("enter", "B")
		ran("run copy to r2 " + row.ID + " 1")
		p.keys("esc")
		p.palette("100% sure")
		ran("run 100% sure " + row.ID + " 1")
		p.shows("100% sure is done")
		p.palette("output of your last")
		p.shows("100% sure", "all is there")
		p.keys("esc", "?", "G")
		p.shows("B      copy to r2")
		p.keys("esc", "m", "j", "m", "B")
		p.shows("2 marked results", "Run this command on the first file of each?", "rclone copy {file} r2:")
		ran()
		p.keys("y")
		p.pass(time.Second)
		p.shows("copy to r2: 2 done · all is there")
		p.keys("esc", "alt+1", "alt+r", "right", "right")
		p.pass(time.Second)
		p.keys("B")
		p.pass(time.Second)
		p.shows("copy to r2 is done")
		p.keys("esc")
		p.typed("B") // typed, since the prompt has the keys
		p.session.log = nil
		p.pass(time.Second)
		ran()
	})
}

func TestOwnCommandCanBeStopped(t *testing.T) {
	t.Parallel()
	slow := func(d *fakeSession) {
		withCommands(d)
		d.command = func(ctx context.Context, _ state.Command, _ string) (api.Text, error) {
			<-ctx.Done()
			return text("half"), errors.New("copy was stopped")
		}
	}
	fly(t, 120, 40, slow, func(p *pilot) {
		p.keys("alt+2", "j", "j")
		p.pass(time.Second)
		if act := action.Named(p.app.globals, stopCommands); act.Ready() {
			t.Error("there is nothing to stop yet")
		}
		p.keys("B")
		p.shows("◐ copy to r2 is running. alt+x stops it.")
		p.keys("B")
		p.pass(time.Second)
		p.shows("copy to r2 is running on it already.")
		p.keys("alt+x")
		p.pass(time.Second)
		p.shows("✕ Copy was stopped.")
		if len(p.app.commands.running) > 0 {
			t.Error("it still runs")
		}
		p.palette("output of your last")
		p.shows("half")
	})
}

func TestOwnCommandFailsOnOneOfSeveral(t *testing.T) {
	t.Parallel()
	n := 0
	failing := func(d *fakeSession) {
		withCommands(d)
		d.command = func(context.Context, state.Command, string) (api.Text, error) {
			if n++; n == 2 {
				return api.Text{}, errors.New("rclone failed: no room")
			}
			return api.Text{}, nil
		}
	}
	fly(t, 120, 40, failing, func(p *pilot) {
		p.keys("alt+2", "j", "j", "m", "j", "m", "j", "m", "B", "y")
		p.pass(time.Second)
		p.shows("✕ Rclone failed: no room. 1 of 3 are done.")
		if n != 2 {
			t.Errorf("it ran %d times, want 2", n)
		}
	})
}
