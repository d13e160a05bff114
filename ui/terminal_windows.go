package ui

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// inputWithin is not asked for: Bubble Tea reads the console itself.
func inputWithin(*os.File, time.Duration) bool { return false }

// readCellSize does nothing: terminals there say the size themselves.
func readCellSize() tea.Msg { return nil }

func wake() {}
