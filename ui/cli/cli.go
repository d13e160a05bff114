// Package cli is darkroom without a screen: commands, flags, JSON and exit
// codes over the same Session.
package cli

// Main runs the command that args name and returns the exit code.
func Main(args []string) int { return 2 }
