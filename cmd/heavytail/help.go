package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/rows"
)

func newHelp(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command, or a statement",
		Long: `Show the --help of a command, or what HELP shows for a statement, a method, a measure,
a scorer or a generator. A command comes first where a statement has the same name;
the statement is the one in capitals.`,
		Example: `  heavytail help import
  heavytail help IMPORT
  heavytail help create index`,
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
			rows, err := query.HelpOn(strings.Fields(strings.Join(args, " "))...)
			if err != nil {
				return usageError{err}
			}
			return writeText(std.out, helpText(rows))
		},
	}
}

// helpText writes each row of HELP as an item with its text in lines of up to 80 characters
// below it.
func helpText(rows *rows.Rows) string {
	var b strings.Builder
	for rows.Next() {
		row := rows.Row()
		fmt.Fprintf(&b, "%v\n", row[0])
		for _, line := range filled(fmt.Sprint(row[1]), 76) {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String()
}
