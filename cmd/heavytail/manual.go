package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/cmd/heavytail/manual"
	"heavytail/cmd/markdown"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

func newManual(std streams) *cobra.Command {
	source, html := false, false
	cmd := &cobra.Command{
		Use:   "manual [PAGE | WORD…]",
		Short: "Show a page of the manual, or search it",
		Long: `Show a page of the manual, or without PAGE the list of pages. Other words are searched
in the manual and in the texts of HELP. The manual is part of this program, so it
describes this version.`,
		Example: `  heavytail manual
  heavytail manual methods
  heavytail manual missing values
  heavytail manual --html > manual.html`,
		ValidArgsFunction: cobra.FixedCompletions(manual.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(args, " ")
			switch {
			case html && (source || name != ""):
				return usageError{errors.New("expected --html alone")}
			case html:
				return writeText(std.out, manualBook())
			case source:
				page, err := manualPage(name)
				if err != nil {
					return err
				}
				return writeText(std.out, page)
			}
			text, err := manualText(name, repl.Detect(std.out, os.Getenv))
			if err != nil {
				return err
			}
			if err := repl.Page(std.out, os.LookupEnv, text); err != nil {
				return fmt.Errorf("write to standard output: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&source, "markdown", false, "print the page as Markdown")
	cmd.Flags().BoolVar(&html, "html", false, "print all pages as one HTML file, with a search")
	return cmd
}

// widestText is the most columns that a text takes: longer lines are harder to read.
const widestText = 100

// manualText is a page as a terminal shows it, or for "" the list of pages, or what a search for words
// finds. For a file or a pipe it has 80 columns.
func manualText(name string, on repl.Terminal) (string, error) {
	if name == "" {
		return manualIndex(), nil
	}
	page, err := manualPage(name)
	if err == nil {
		width := 80
		if on.Width > 0 {
			width = min(on.Width, widestText)
		}
		return markdown.Parse(name, page).Text(width, on.Color), nil
	}
	if rows, searched := query.HelpOn(manual.Files, strings.Fields(name)...); searched == nil {
		return helpText(rows), nil
	}
	return "", err
}

// manualBook is the manual as one file of HTML.
func manualBook() string {
	var chapters []markdown.Chapter
	for _, name := range manual.Names() {
		page, err := manualPage(name)
		must(err)
		chapters = append(chapters, markdown.Chapter{Name: name, Page: markdown.Parse(name, page)})
	}
	return markdown.Book("The manual of heavytail", "heavytail "+version(), chapters)
}

func manualIndex() string {
	var b strings.Builder
	b.WriteString("Pages of the manual, for heavytail manual PAGE and, in the shell, .manual PAGE:\n\n")
	for _, name := range manual.Names() {
		fmt.Fprintf(&b, "  %-10s %s\n", name, manual.Title(name))
	}
	b.WriteString("\nHELP explains one statement, method, generator or scorer: heavytail help NEAREST.\n")
	return b.String()
}

// manualPage returns the text of a page. An unknown name is a fault of the command
// line.
func manualPage(name string) (string, error) {
	if page, known := manual.Page(strings.ToLower(name), reference); known {
		return page, nil
	}
	hint := "heavytail manual lists the pages"
	if near, ok := parser.Suggest(name, manual.Names()); ok {
		hint = "did you mean " + near + "?"
	}
	return "", usageError{fmt.Errorf("the manual has no page %q: %s", name, hint)}
}
