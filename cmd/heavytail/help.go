package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/cmd/heavytail/manual"
	"heavytail/query"
)

func newHelp(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC | WORD…]",
		Short: "Help about a command, or a statement",
		Long: `Show the --help of a command, or what HELP shows: a group of statements, a statement, a
method, a measure, a scorer or a generator, or what a search for the words finds, also in
the manual. A command comes first where a statement has the same name; the statement is
the one in capitals.`,
		Example: `  heavytail help import
  heavytail help IMPORT
  heavytail help links
  heavytail help shortest path`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var known []string
			for _, c := range cmd.Root().Commands() {
				known = append(known, c.Name())
			}
			for _, h := range query.Helps() {
				first, _, _ := strings.Cut(h.Statement, " ")
				known = append(known, first)
			}
			slices.Sort(known)
			return slices.Compact(known), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				c.InitDefaultHelpFlag()
				return c.Help()
			}
			rows, err := query.HelpOn(manual.Files, strings.Fields(strings.Join(args, " "))...)
			if err != nil {
				return usageError{err}
			}
			return writeText(std.out, helpText(rows))
		},
	}
}
