package ui

import (
	"os"
	"time"
)

// inputWithin is not asked for: Bubble Tea reads the console itself.
func inputWithin(*os.File, time.Duration) bool { return false }
