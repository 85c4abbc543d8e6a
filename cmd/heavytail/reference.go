package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/links"
	"heavytail/query/vectors"
)

// reference are the parts of the manual that are written from the tables of the code, by the
// names that pages have for them in a comment: <!-- reference: NAME -->.
func reference(name string) string {
	switch name {
	case "statements":
		return statementsPart()
	case "methods":
		var b strings.Builder
		for _, m := range vectors.Methods() {
			writeEntry(&b, m.Name, m.Summary, m.Options)
		}
		return b.String()
	case "generators":
		var b strings.Builder
		for _, g := range graphs.Generators() {
			writeEntry(&b, g.Name, g.Summary, g.Options)
		}
		return b.String()
	case "scorers":
		return scorersPart()
	case "errors":
		return errorsPart()
	case "commands":
		return commandsPart()
	case "flags":
		return "```\n" + newExec(streams{}).Flags().FlagUsages() + "```\n"
	}
	panic("the manual has no part " + name)
}

func statementsPart() string {
	var b strings.Builder
	for _, h := range query.Helps() {
		fmt.Fprintf(&b, "## %s\n\n", h.Statement)
		for form := range strings.SplitSeq(h.Syntax, "; ") {
			fmt.Fprintf(&b, "    %s\n", strings.Join(filled(form, 76), "\n      "))
		}
		fmt.Fprintf(&b, "\n%s\n", sentence(h.About()))
		if h.Columns != "" {
			fmt.Fprintf(&b, "\nColumns: %s.\n", h.Columns)
		}
		writeOptions(&b, h.Options)
		fmt.Fprintf(&b, "\nExample: `%s`\n\n", h.Example)
	}
	return b.String()
}

func scorersPart() string {
	var b strings.Builder
	for _, s := range links.Scorers() {
		reads, likelier := "graph", "higher"
		if s.NeedsEmbedding {
			reads = "embedding"
		}
		if !s.HigherIsLikelier {
			likelier = "lower"
		}
		fmt.Fprintf(&b, "- `%s` (reads the %s; a %s score is likelier): %s.\n", s.Name, reads, likelier, s.Summary)
	}
	return b.String()
}

// errorsPart lists the errors that programs can distinguish, by package.
func errorsPart() string {
	var b strings.Builder
	last := ""
	for _, e := range query.Errors() {
		if pkg, _, _ := strings.Cut(e.Name, "."); pkg != last {
			fmt.Fprintf(&b, "\n## %s\n\n", pkg)
			last = pkg
		}
		fmt.Fprintf(&b, "- `%s`: “%v”. %s To do: %s.\n", e.Name, e.Err, e.Meaning, e.Remedy)
	}
	return b.String()
}

// commandsPart lists the commands with what each does.
func commandsPart() string {
	var b strings.Builder
	for _, c := range allCommands(newRoot(streams{}, commands())) {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSuffix(c.UseLine(), " [flags]"), c.Short)
	}
	return b.String()
}

// allCommands returns the commands below root, without those that cobra adds.
func allCommands(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		list = append(append(list, c), allCommands(c)...)
	}
	return list
}

func writeEntry(b *strings.Builder, name, summary string, options []option.Info) {
	fmt.Fprintf(b, "### %s\n\n%s.\n", name, sentence(summary))
	writeOptions(b, options)
	b.WriteString("\n")
}

// writeOptions lists options with type and default, as HELP does.
func writeOptions(b *strings.Builder, options []option.Info) {
	if len(options) > 0 {
		b.WriteString("\n")
	}
	for _, o := range options {
		kind := o.Type
		if o.Choices != nil {
			kind = strings.Join(o.Choices, ", ")
			if o.Type != "text" {
				kind = o.Type + ", " + kind
			}
		}
		given := "required"
		if o.Default != "" {
			given = "default `" + o.Default + "`"
		}
		fmt.Fprintf(b, "- `%s` (%s; %s): %s.\n", o.Name, kind, given, o.Doc)
	}
}
