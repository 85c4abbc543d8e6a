package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/query/parser"
)

// manualFiles are the pages of the manual. Parts of them that list statements,
// options, scorers, errors and commands lie between comments and are generated
// from the code; manual_test.go compares both.
//
//go:embed manual/*.md
var manualFiles embed.FS

// manualPages are the pages as files.
func manualPages() fs.FS {
	pages, err := fs.Sub(manualFiles, "manual")
	must(err)
	return pages
}

// manualNames are the pages in the order in which the index lists them.
var manualNames = []string{
	"language", "methods", "paper", "answers", "tables", "files", "jobs", "machines", "beam", "store", "command", "report", "shell", "go", "errors", "limits", "changes",
}

// manualComment is a comment of Markdown, which only the test of the manual reads.
var manualComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->\n?`) })

func newManual(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "manual [PAGE | WORD…]",
		Short: "Print a page of the manual, or search it",
		Long: `Print a page of the manual as Markdown, or without PAGE the list of pages. Other words
are searched in the manual and in the texts of HELP. The manual is part of this program, so
it describes this version.`,
		Example: `  heavytail manual
  heavytail manual methods
  heavytail manual language | less
  heavytail manual missing values`,
		ValidArgsFunction: cobra.FixedCompletions(manualNames, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := manualText(strings.Join(args, " "))
			if err != nil {
				return err
			}
			return writeText(std.out, text)
		},
	}
}

// manualText is a page, or for "" the list of pages, or what a search for words finds.
func manualText(name string) (string, error) {
	if name == "" {
		return manualIndex(), nil
	}
	page, err := manualPage(name)
	if err == nil {
		return page, nil
	}
	if rows, searched := query.HelpOn(manualPages(), strings.Fields(name)...); searched == nil {
		return helpText(rows), nil
	}
	return "", err
}

func manualIndex() string {
	var b strings.Builder
	b.WriteString("Pages of the manual, for heavytail manual PAGE and, in the shell, .manual PAGE:\n\n")
	for _, name := range manualNames {
		page, err := manualPage(name)
		must(err)
		title, _, _ := strings.Cut(strings.TrimPrefix(page, "# "), "\n")
		fmt.Fprintf(&b, "  %-10s %s\n", name, title)
	}
	b.WriteString("\nHELP explains one statement, method, generator or scorer: heavytail help NEAREST.\n")
	return b.String()
}

// manualPage returns the text of a page. An unknown name is a fault of the command
// line.
func manualPage(name string) (string, error) {
	text, err := manualFiles.ReadFile(path.Join("manual", strings.ToLower(name)+".md"))
	if err == nil {
		return manualComment().ReplaceAllString(string(text), ""), nil
	}
	hint := "heavytail manual lists the pages"
	if near, ok := parser.Suggest(name, manualNames); ok {
		hint = "did you mean " + near + "?"
	}
	return "", usageError{fmt.Errorf("the manual has no page %q: %s", name, hint)}
}
