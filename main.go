// Darkroom makes images and videos with a hosted service, in a terminal.
package main

import (
	"os"

	"darkroom/ui/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
