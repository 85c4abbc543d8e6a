// Typecheck checks the types of all packages of the module and of their tests on other systems,
// such as windows/amd64, and prints what does not compile there. It reads the dependencies from their
// source, without the bodies of functions, and so takes a tenth of the time of compiling them.
// It does not see mistakes in assembly.
//
//	go run -modfile=.ci/tools/go.mod ./.ci/typecheck linux/arm64 windows/amd64
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	failed := false
	for _, target := range os.Args[1:] {
		system, processor, found := strings.Cut(target, "/")
		if !found {
			log.Fatalf("%s is not a system and a processor, as in linux/arm64", target)
		}
		list, err := packages.Load(&packages.Config{
			Mode: packages.LoadAllSyntax | packages.NeedTypesSizes, // an int may have 32 bits
			Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
			// Tests, too: with those of each package in it.
			Tests: true,
		}, "./...")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(target, len(list), "packages and tests")
		failed = packages.PrintErrors(list) > 0 || failed
	}
	if failed {
		os.Exit(1)
	}
}
