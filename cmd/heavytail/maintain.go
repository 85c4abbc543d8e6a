package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/maintenance"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/repl"
)

// fileCommand completes a command that runs a statement on the FILE and prints the rows.
func fileCommand(std streams, options query.Options, statement string, request any, cmd *cobra.Command) *cobra.Command {
	var format string
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runStatement(cmd, std, args[0], options, format, statement, request)
	}
	addFormat(cmd, &format)
	return cmd
}

func newCompact(std streams) *cobra.Command {
	return fileCommand(std, query.Options{NoCreate: true}, "COMPACT", nil, &cobra.Command{
		Use:   "compact FILE",
		Short: "Free the unused space of a file",
		Long: `Copy a file without its free space, verify the copy, and replace the file with it
in one step. The folder needs space for the copy, and no other process may have the
file open.`,
		Args: exactly(1, "one FILE"),
	})
}

func newBackup(std streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "backup FILE COPY",
		Short: "Copy a file and verify every record on the way",
		Long: `Copy a file, in its state at one moment, to another file. Every checksum is verified
on the way; the copy is compact and appears when it is complete. Other readers may
have the file open.`,
		Args: exactly(2, "FILE and COPY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := maintenance.BackupRequest{Path: args[1]}
			return runStatement(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true}, format, "BACKUP", request)
		},
	}
	addFormat(cmd, &format)
	addOptions(cmd, "BACKUP")
	return cmd
}

// newStats is the command that shows what takes the space.
func newStats(std streams) *cobra.Command {
	return fileCommand(std, query.Options{ReadOnly: true, NoCreate: true}, "SHOW", parser.Stats, &cobra.Command{
		Use:   "stats FILE",
		Short: "Show what takes the space of a file",
		Args:  exactly(1, "one FILE"),
	})
}

// newRecover is the command that copies the undamaged parts of a damaged file.
func newRecover(std streams) *cobra.Command {
	overwrite := false
	cmd := &cobra.Command{
		Use:   "recover FILE COPY",
		Short: "Copy what is sound out of a damaged file",
		Long: `Copy what is sound out of a damaged file into a new one, and report what is lost. It
works on files that cannot be opened. FILE is not changed. The exit code is 1 if
anything is lost.`,
		Example: `  heavytail recover social.ht saved.ht`,
		Args:    exactly(2, "FILE and COPY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRecover(cmd, std, args[0], args[1], overwrite)
		},
	}
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace COPY if it exists")
	return cmd
}

// runRecover copies the undamaged parts of the file at path, and prints what
// was saved and what was lost.
func runRecover(cmd *cobra.Command, std streams, path, copy string, overwrite bool) error {
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	report, err := maintenance.Recover(ctx, path, copy, maintenance.RecoverOptions{Overwrite: overwrite, Progress: status.Progress})
	status.Clear()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, row := range maintenance.RecoveredRows(report) {
		fmt.Fprintf(&text, "%s: %s, %v\n", parser.Escape(fmt.Sprint(row[0])), size(row), row[3])
	}
	for _, line := range report.Lost {
		fmt.Fprintf(&text, "lost: %s\n", parser.Escape(line))
	}
	if len(report.Lost) > 0 {
		err = fmt.Errorf("%s; what was sound of %s is in %s", count(len(report.Lost), "loss"), path, copy)
	} else {
		fmt.Fprintf(&text, "nothing was lost; %s has everything\n", parser.Escape(copy))
	}
	return errors.Join(writeText(std.out, text.String()), err)
}

// size is how much of an object was saved.
func size(row []rows.Value) string {
	vertices, _ := row[1].(int64)
	text := count(vertices, "vertex")
	if edges, ok := row[2].(int64); ok {
		text += ", " + count(edges, "edge")
	}
	return text
}
