package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"heavytail/query"
)

func newMan(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man [FOLDER]",
		Short: "Write the man pages",
		Long: `Write a man page of each command, made from the same text as its --help, and one
of all statements, made from HELP, into the folders man1 and man7 of FOLDER. Files of
these names are replaced.
Without FOLDER the page of heavytail itself is printed.`,
		Example: `  heavytail man ~/.local/share/man
  heavytail man > heavytail.1; man -l heavytail.1`,
		Args: between(0, 1, "at most one FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, date := cmd.Root(), manDate()
			header := &doc.GenManHeader{Date: &date, Source: "heavytail", Manual: "heavytail"}
			root.DisableAutoGenTag = true
			root.Long += "\n\nThe page " + statementsPage + " has all statements."
			prepareMan(root)
			if len(args) == 0 {
				return doc.GenMan(root, header, std.out)
			}
			for _, section := range []string{"man1", "man7"} {
				if err := os.MkdirAll(filepath.Join(args[0], section), 0o777); err != nil {
					return err
				}
			}
			if err := doc.GenManTree(root, header, filepath.Join(args[0], "man1")); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(args[0], "man7", statementsPage+".7"), manOfStatements(date), 0o666)
		},
	}
}

const statementsPage = "heavytail-statements"

// manDate is the date of the latest release in the changes. Pages have this date, so that the
// same source gives the same pages.
func manDate() time.Time {
	changes, err := manualPage("changes")
	must(err)
	date, err := time.Parse(time.DateOnly, regexp.MustCompile(`(?m)^## (\d{4}-\d\d-\d\d)`).FindStringSubmatch(changes)[1])
	must(err)
	return date
}

// prepareMan makes the texts of a command, and of those below it, the Markdown from which their
// pages are made, and adds what the library leaves out. Of completion, --help of each shell says more.
func prepareMan(cmd *cobra.Command) {
	cmd.Long = manProse(cmd.Long)
	if cmd.Long == "" {
		cmd.Long = markdown(cmd.Short) + "."
	}
	if cmd.HasAvailableSubCommands() {
		cmd.Long += "\n\n# COMMANDS\n"
	}
	for _, c := range slices.Clone(cmd.Commands()) {
		if c.Name() == "completion" {
			cmd.RemoveCommand(c)
		} else if c.IsAvailableCommand() {
			cmd.Long += manTerm(c.Name(), c.Short)
			prepareMan(c)
		}
	}
	cmd.Long += "\n\n# EXIT STATUS\n0 if all succeeded, 1 if something failed or was cancelled, 2 if the command line was wrong."
}

// markdown quotes what Markdown would interpret.
func markdown(text string) string {
	return regexp.MustCompile("[\\\\`*_{}<>\\[\\]#|~-]").ReplaceAllString(text, `\$0`)
}

// manProse quotes paragraphs; those that are indented keep their form.
func manProse(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		if strings.HasPrefix(p, "  ") {
			paragraphs[i] = manExample(p)
		} else {
			paragraphs[i] = markdown(p)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func manExample(text string) string { return "```\n" + text + "\n```" }

// manTerm is a word with its explanation.
func manTerm(word, text string) string {
	return fmt.Sprintf("\n**%s**\n: %s\n", markdown(word), markdown(sentence(text)+"."))
}

func manOfStatements(date time.Time) []byte {
	var m strings.Builder
	fmt.Fprintf(&m, "%% %q \"7\" %q \"heavytail\" \"heavytail\"\n", strings.ToUpper(statementsPage), date.Format("Jan 2006"))
	fmt.Fprintf(&m, "# NAME\n%s \\- statements of heavytail\n\n# DESCRIPTION\n", statementsPage)
	m.WriteString("A statement may span lines and ends with a semicolon. HELP explains one statement, method, generator or scorer.\n\n# STATEMENTS\n")
	for _, h := range query.Helps() {
		fmt.Fprintf(&m, "### %s\n**%s**\n\n%s.\n\n", markdown(h.Statement), markdown(h.Syntax), markdown(sentence(h.Summary)))
		if h.Columns != "" {
			fmt.Fprintf(&m, "Columns: %s.\n\n", markdown(h.Columns))
		}
		for _, o := range h.Options {
			m.WriteString(manTerm(o.String(), o.Doc))
		}
		fmt.Fprintf(&m, "\nExample:\n\n%s\n\n", manExample(h.Example))
	}
	m.WriteString("# SEE ALSO\n**heavytail(1)**\n")
	return md2man.Render([]byte(m.String()))
}

// sentence begins a text with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
