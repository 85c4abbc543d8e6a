package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heavytail/cmd/heavytail/manual"
	"heavytail/cmd/markdown"
)

func newMan(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man [FOLDER]",
		Short: "Write the man pages",
		Long: `Write a man page of each command, made from the same text as its --help, and the pages
of the manual, into the folders man1 and man7 of FOLDER. Files of these names are
replaced.
Without FOLDER the page of heavytail itself is printed.`,
		Example: `  heavytail man ~/.local/share/man
  heavytail man > heavytail.1; man -l heavytail.1`,
		Args: between(0, 1, "at most one FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := manPages(cmd.Root())
			if len(args) == 0 {
				return writeText(std.out, pages[0].text)
			}
			for _, p := range pages {
				path := filepath.Join(args[0], p.name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(p.text), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manPage is a page as a file in the language of the macros man(7).
type manPage struct{ name, text string }

// manPages returns the page of each command, that of the program first, and the pages of the manual.
func manPages(root *cobra.Command) []manPage {
	var pages []manPage
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		pages = append(pages, manPage{"man1/" + manName(cmd) + ".1", manOfCommand(cmd)})
		for _, c := range withPages(cmd) {
			walk(c)
		}
	}
	walk(root)
	for _, name := range manual.Names() {
		pages = append(pages, manPage{"man7/heavytail-" + name + ".7", manOfPage(name)})
	}
	return pages
}

// withPages returns the commands below a command that have pages: all but completion, which
// cobra describes by --help of each shell.
func withPages(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.Name() == "completion"
	})
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manText writes a page. Its methods take plain text and quote what roff would interpret.
type manText struct{ strings.Builder }

// manDate finds the date of the latest release in the changes. Pages have this date, so
// that the same source gives the same pages.
var manDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^## (\d{4}-\d\d-\d\d)`) })

func newManText(name, section string) *manText {
	changes, err := manualPage("changes")
	must(err)
	m := &manText{}
	fmt.Fprintf(m, ".TH %s %s %s \"heavytail\" \"heavytail\"\n", strings.ToUpper(markdown.Roff(name)), section, manDate().FindStringSubmatch(changes)[1])
	return m
}

func (m *manText) section(title string) { fmt.Fprintf(m, ".SH %s\n", title) }

// term writes a word with its explanation.
func (m *manText) term(word, text string) {
	fmt.Fprintf(m, ".TP\n.B %s\n", markdown.Roff(word))
	m.lines(text)
}

// lines writes the words of a text in lines of up to 72 characters.
func (m *manText) lines(text string) {
	for _, line := range filled(text, 72) {
		m.WriteString(markdown.Roff(line) + "\n")
	}
}

// example writes lines that keep their form.
func (m *manText) example(text string) {
	m.WriteString(".RS 4\n.nf\n")
	for line := range strings.SplitSeq(text, "\n") {
		m.WriteString(markdown.Roff(strings.TrimPrefix(line, "  ")) + "\n")
	}
	m.WriteString(".fi\n.RE\n")
}

// prose writes paragraphs with empty lines between them; lines that are indented keep their
// form.
func (m *manText) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			m.example(paragraph)
			continue
		}
		if i > 0 {
			m.WriteString(".PP\n")
		}
		m.lines(paragraph)
	}
}

func manOfCommand(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag() // adds --help, which cobra otherwise adds when the command runs
	m := newManText(manName(cmd), "1")
	m.section("NAME")
	fmt.Fprintf(m, "%s \\- %s\n", markdown.Roff(manName(cmd)), markdown.Roff(cmd.Short))
	m.section("SYNOPSIS")
	fmt.Fprintf(m, "%s\n", markdown.Roff(cmd.UseLine()))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(m, ".br\n%s\n", markdown.Roff(cmd.CommandPath()+" COMMAND …"))
	}
	m.section("DESCRIPTION")
	m.prose(cmp.Or(cmd.Long, cmd.Short+"."))
	if cmd.HasAvailableSubCommands() {
		m.section("COMMANDS")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				m.term(c.Name(), c.Short)
			}
		}
	}
	if cmd.HasAvailableFlags() {
		m.section("OPTIONS")
		cmd.Flags().VisitAll(m.flag)
	}
	if cmd.Example != "" {
		m.section("EXAMPLES")
		m.example(cmd.Example)
	}
	m.section("EXIT STATUS")
	m.prose("0 if all succeeded, 1 if something failed or was cancelled, 2 if the command line was wrong.")
	m.section("SEE ALSO")
	fmt.Fprintf(m, "%s\n", strings.Join(manSeeAlso(cmd), ",\n"))
	return m.String()
}

// flag writes a flag with its default.
func (m *manText) flag(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	kind, usage := pflag.UnquoteUsage(f)
	word := "--" + f.Name
	if f.Shorthand != "" {
		word = "-" + f.Shorthand + ", " + word
	}
	if kind != "" {
		word += " " + kind
	}
	switch f.DefValue {
	case "", "0", "false", "[]":
	default:
		usage += "; " + f.DefValue + " by default"
	}
	m.term(word, usage)
}

// manSeeAlso lists the pages of the commands above and below a command, and of the statements.
func manSeeAlso(cmd *cobra.Command) []string {
	var names []string
	add := func(name, section string) {
		names = append(names, fmt.Sprintf("\\fB%s\\fR(%s)", markdown.Roff(name), section))
	}
	if cmd.HasParent() {
		add(manName(cmd.Parent()), "1")
	}
	for _, c := range withPages(cmd) {
		add(manName(c), "1")
	}
	add("heavytail-statements", "7")
	return names
}

// manOfPage is the page of the manual.
func manOfPage(name string) string {
	text, err := manualPage(name)
	must(err)
	page := markdown.Parse(name, text)
	m := newManText("heavytail-"+name, "7")
	m.section("NAME")
	fmt.Fprintf(m, "%s \\- %s\n", markdown.Roff("heavytail-"+name), markdown.Roff(page.Title()))
	m.WriteString(page.Man())
	m.section("SEE ALSO")
	m.WriteString("\\fBheavytail\\fR(1)\n")
	return m.String()
}
