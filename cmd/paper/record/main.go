// Command record keeps measured figures in files, from which the tables of
// cmd/paper/BENCHMARKS.md and of pages of the manual are generated:
//
//	go run ./cmd/paper/record cmd/paper/figures/workers.json .ci/workers.py
//	go run ./cmd/paper/record out.json go test ./index -run '^$' -bench Join -count 5
//	go run ./cmd/paper/record -command '`…`' -machine TEXT -commit C -load L out.json <tables.md
//
// The first form runs a command from the root of the checkout, passes its output through,
// and writes every table of Markdown in the output, with the command, the machine, the
// commit, the day and the load. Of Go benchmarks, whose output has no table, it writes the
// medians. Variables of the environment belong to the command: env DIM=64 .ci/figures. The
// second form, without a command, reads the output of an earlier run, or of one on another
// machine, from the standard input, and takes the rest from the flags; a flag also replaces
// what the first form would read.
//
// Run is what a file has. A table of a document is between two lines,
//
//	<!-- table: workers -->
//	<!-- end -->
//
// and go test ./cmd/paper/record fails while it differs from cmd/paper/figures/workers.json;
// with -update the test rewrites the documents. So a new run replaces a table when it is
// written to the file of the old one.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := record(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// errUsage is returned for arguments that are not understood.
var errUsage = errors.New("usage: record [-command … -machine … -commit … -load … -date …] FILE [COMMAND ARGUMENT…]")

// record writes the figures of a command, or of in, to the file that the arguments name.
func record(args []string, in io.Reader, out io.Writer) error {
	var given Run
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	flags.StringVar(&given.Command, "command", "", "what was run, as Markdown")
	flags.StringVar(&given.Machine.Text, "machine", "", "the machine in words")
	flags.StringVar(&given.Commit, "commit", "", "the commit that was measured")
	flags.StringVar(&given.Load, "load", "", "the load of the machine in words")
	flags.StringVar(&given.Date, "date", "", "the day, as 2026-12-31")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errUsage
	}
	file, command := flags.Arg(0), flags.Args()[1:]

	run, text := given, []byte(nil)
	var err error
	if len(command) == 0 {
		text, err = io.ReadAll(in)
	} else {
		run, text, err = measure(command, out)
		run.Command = cmp.Or(given.Command, run.Command)
		run.Commit = cmp.Or(given.Commit, run.Commit)
		run.Load = cmp.Or(given.Load, run.Load)
		run.Date = cmp.Or(given.Date, run.Date)
		if given.Machine.Text != "" {
			run.Machine = given.Machine
		}
	}
	if err != nil {
		return err
	}
	run.Tables = tablesIn(string(text))
	if len(run.Tables) == 0 {
		run.Tables = benchmarksIn(string(text))
	}
	if err := run.check(); err != nil {
		return err
	}
	encoded, err := run.encode()
	if err != nil {
		return err
	}
	return os.WriteFile(file, encoded, 0o644)
}

// measure runs a command, copies its output to out, and returns the output with a Run that
// has everything but the tables.
func measure(command []string, out io.Writer) (run Run, text []byte, err error) {
	if run, err = here(); err != nil {
		return run, nil, err
	}
	run.Command = "`" + strings.Join(quoted(command), " ") + "`"
	before := load()
	var kept bytes.Buffer
	process := exec.Command(command[0], command[1:]...)
	process.Stdout, process.Stderr = io.MultiWriter(out, &kept), os.Stderr
	if err := process.Run(); err != nil {
		return run, nil, fmt.Errorf("%s: %w", command[0], err)
	}
	if before != "" {
		run.Load = before + " before, " + load() + " at the end"
	}
	return run, kept.Bytes(), nil
}

// quoted returns arguments as a shell would read them.
func quoted(args []string) []string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n*?[]()<>|&;$\"'\\`") {
			list[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return list
}
