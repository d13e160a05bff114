// Crosscheck type-checks and vets all packages of the module and their tests as they
// are built for other systems:  go run ./.ci/crosscheck darwin windows
//
// go vet compiles the standard library and SQLite for each system first, which takes
// minutes on empty caches. Here other modules are read for their declarations only.
package main

import (
	"fmt"
	"log"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	debug.SetGCPercent(400)
	for _, system := range os.Args[1:] {
		list, err := packages.Load(&packages.Config{
			Mode:  packages.LoadSyntax | packages.NeedDeps | packages.NeedModule,
			Tests: true,
			Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		}, "./...")
		if err != nil || len(list) == 0 || packages.PrintErrors(list) > 0 {
			log.Fatalf("%s: %d packages and tests cannot be checked: %v", system, len(list), err)
		}
		graph, err := checker.Analyze(vet.Suite, list, nil)
		if err == nil {
			err = graph.PrintText(os.Stdout, -1)
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, a := range graph.Roots {
			if len(a.Diagnostics) > 0 || a.Err != nil {
				log.Fatalf("%s: %v: %d problems, %v", system, a, len(a.Diagnostics), a.Err)
			}
		}
		fmt.Printf("%s: %d packages and tests\n", system, len(list))
	}
}
