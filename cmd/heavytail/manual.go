package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"heavytail/cmd/markdown"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

// manualFiles are the pages of the manual. Where they list statements, options, scorers, errors
// and commands they have a comment in place of the list, which reference writes.
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
	"networkx", "gds", "node2vec", "go", "figures", "cluster",
	"language", "statements", "methods", "answers", "tables", "files", "jobs", "store", "serve", "command", "shell", "errors", "limits", "paper", "changes",
}

// manualComment is a comment of Markdown, with the name of the part of the reference that is in its place.
var manualComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!-- (?:reference: (\w+)|.*) -->\n?`) })

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
		ValidArgsFunction: cobra.FixedCompletions(manualNames, cobra.ShellCompDirectiveNoFileComp),
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
	if rows, searched := query.HelpOn(manualPages(), strings.Fields(name)...); searched == nil {
		return helpText(rows), nil
	}
	return "", err
}

// manualBook is the manual as one file of HTML.
func manualBook() string {
	var chapters []markdown.Chapter
	for _, name := range manualNames {
		page, err := manualPage(name)
		must(err)
		chapters = append(chapters, markdown.Chapter{Name: name, Page: markdown.Parse(name, page)})
	}
	return markdown.Book("The manual of heavytail", "heavytail "+version(), chapters)
}

func manualIndex() string {
	var b strings.Builder
	b.WriteString("Pages of the manual, for heavytail manual PAGE and, in the shell, .manual PAGE:\n\n")
	for _, name := range manualNames {
		fmt.Fprintf(&b, "  %-10s %s\n", name, manualTitle(name))
	}
	b.WriteString("\nHELP explains one statement, method, generator or scorer: heavytail help NEAREST.\n")
	return b.String()
}

func manualTitle(name string) string {
	text, err := manualFiles.ReadFile(path.Join("manual", name+".md"))
	must(err)
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title
}

// manualPage returns the text of a page. An unknown name is a fault of the command
// line.
func manualPage(name string) (string, error) {
	text, err := manualFiles.ReadFile(path.Join("manual", strings.ToLower(name)+".md"))
	if err == nil {
		return manualComment().ReplaceAllStringFunc(string(text), func(comment string) string {
			if name := manualComment().FindStringSubmatch(comment)[1]; name != "" {
				return reference(name)
			}
			return ""
		}), nil
	}
	hint := "heavytail manual lists the pages"
	if near, ok := parser.Suggest(name, manualNames); ok {
		hint = "did you mean " + near + "?"
	}
	return "", usageError{fmt.Errorf("the manual has no page %q: %s", name, hint)}
}
