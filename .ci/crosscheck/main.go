// Crosscheck type-checks and vets all packages of the module and their tests as they
// are built for other systems:  go run ./.ci/crosscheck darwin windows
//
// go vet compiles the standard library and SQLite for each system first, which takes
// minutes on empty caches. Here other modules are read for their declarations only.
// The two of vet's analyzers that look into other modules, printf and lostcancel,
// have no part: go vet has run them for the system that the tests run on.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/packages"
)

var analyzers = []*analysis.Analyzer{
	atomic.Analyzer, bools.Analyzer, copylock.Analyzer, defers.Analyzer, errorsas.Analyzer, httpresponse.Analyzer,
	ifaceassert.Analyzer, loopclosure.Analyzer, nilfunc.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, stdmethods.Analyzer,
	stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer, tests.Analyzer, unmarshal.Analyzer,
	unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer,
}

func main() {
	debug.SetGCPercent(400)
	failed := len(os.Args) < 2
	for _, system := range os.Args[1:] {
		found, wrong, err := check(system)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Printf("%s: %d packages and tests, %d problems\n", system, found, wrong)
		failed = failed || err != nil || wrong > 0 || found == 0
	}
	if failed {
		os.Exit(1)
	}
}

// check gives how many packages there are for a system, and says the problems.
func check(system string) (found, wrong int, err error) {
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return 0, 0, err
	}
	if wrong = packages.PrintErrors(list); wrong > 0 {
		return len(list), wrong, nil
	}
	graph, err := checker.Analyze(analyzers, list, nil)
	if err != nil {
		return len(list), 0, err
	}
	for _, a := range graph.Roots {
		if a.Err != nil {
			return len(list), 0, a.Err
		}
		wrong += len(a.Diagnostics)
	}
	return len(list), wrong, graph.PrintText(os.Stdout, -1)
}
