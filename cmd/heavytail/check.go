package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

func newCheck(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Verify everything in a file",
		Long: `Verify everything in a file without changing it: pages, checksums, graphs, keys
and embeddings. All faults are printed, each with what to do about it; the exit
code is 1 if there are any.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return runCheck(ctx, std, args[0])
		},
	}
}

// runCheck verifies the file at path and prints what it found.
func runCheck(ctx context.Context, std streams, path string) error {
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	db, err := query.Open(path, &query.Options{ReadOnly: true, NoCreate: true, Progress: status.Progress})
	if err != nil {
		return served(path, err)
	}
	report, err := db.Maintenance().Check(ctx)
	status.Clear()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	var text strings.Builder
	for _, fault := range report.Faults {
		fmt.Fprintf(&text, "%s: %s\n  %s\n", parser.Escape(fault.Where), parser.Escape(fault.What), parser.Escape(fault.Remedy))
	}
	for _, note := range report.Notes {
		fmt.Fprintf(&text, "note: %s\n", parser.Escape(note))
	}
	if report.OK() {
		fmt.Fprintf(&text, "%s is sound: %s, %s, %s, %s\n", parser.Escape(path),
			count(report.Graphs, "graph"), count(report.Embeddings, "embedding"), count(report.Records, "record"), count(report.Bytes, "byte"))
	} else {
		err = fmt.Errorf("%s in %s", count(len(report.Faults), "fault"), path)
	}
	return errors.Join(writeText(std.out, text.String()), err)
}

// writeText prints a text for the user, and returns an error if it cannot be
// written, such as to a full disk: an incomplete text must not look like a
// complete one.
func writeText(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}
