package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/query/parser"
)

// newImport is the command that brings a text file in.
func newImport(std streams) *cobra.Command {
	vertices := false
	cmd := &cobra.Command{
		Use:   "import FILE GRAPH INPUT",
		Short: "Add the edges or vertices of a text file to a graph",
		Long: `Add the edges of a text file to a graph of a heavytail file, or with --vertices
the attributes of its vertices. The file and the graph are made where they do not
exist. INPUT is plain or compressed by gzip or zstd; - is standard input. All of it
is added or, after an error, nothing.`,
		Example: `  heavytail import social.ht social facebook_combined.txt.gz
  heavytail import social.ht mail messages.csv --source from --target to --time sent
  heavytail import social.ht social people.csv --vertices --key id
  zcat edges.gz | heavytail import social.ht social -`,
		Args: exactly(3, "FILE, GRAPH and INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, graph := parser.String{Value: args[2]}, parser.Ident{Name: args[1]}
			kind, other := "IMPORT", "IMPORT VERTICES"
			if vertices {
				kind, other = other, kind
			}
			if err := refuseOthers(cmd, kind, other); err != nil {
				return err
			}
			given := givenOptions(cmd, kind)
			var statement parser.Statement = &parser.Import{File: file, Graph: graph, Options: given}
			if vertices {
				statement = &parser.ImportVertices{File: file, Graph: graph, Options: given}
			}
			return runStatement(cmd, std, args[0], query.Options{Input: std.in}, "table", statement)
		},
	}
	cmd.Flags().BoolVar(&vertices, "vertices", false, "INPUT has a vertex a line, with its attributes in columns")
	addOptions(cmd, "IMPORT")
	addOptions(cmd, "IMPORT VERTICES")
	return cmd
}

// exports are what the command export writes, by the word for it, with the
// statement that does it.
var exports = []struct {
	word, statement string
	node            func(name parser.Ident, file parser.Value, options []parser.Option) parser.Statement
}{
	{"graph", "EXPORT GRAPH", func(name parser.Ident, file parser.Value, options []parser.Option) parser.Statement {
		return &parser.ExportGraph{Graph: name, File: file, Options: options}
	}},
	{"vertices", "EXPORT VERTICES", func(name parser.Ident, file parser.Value, options []parser.Option) parser.Statement {
		return &parser.ExportVertices{Graph: name, File: file, Options: options}
	}},
	{"embedding", "EXPORT EMBEDDING", func(name parser.Ident, file parser.Value, options []parser.Option) parser.Statement {
		return &parser.ExportEmbedding{Embedding: name, File: file, Options: options}
	}},
}

// exportWalks is the word for the export of walks, which names a method by a flag
// and has the options of the method as flags too.
const exportWalks = "walks"

// exportWords are what export can write.
func exportWords() []string {
	var words []string
	for _, e := range exports {
		words = append(words, e.word)
	}
	return append(words, exportWalks)
}

// words lists some words, of at least two, with another before the last one.
func words(list []string, before string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + before + " " + list[last]
}

// exportStatements are the statements of all exports.
func exportStatements() []string {
	var statements []string
	for _, e := range exports {
		statements = append(statements, e.statement)
	}
	return append(statements, "EXPORT WALKS")
}

// exportStatement makes the statement that a command line stands for.
func exportStatement(cmd *cobra.Command, word string, name parser.Ident, file parser.Value) (parser.Statement, error) {
	if word == exportWalks {
		return walksStatement(cmd, name, file)
	}
	for _, e := range exports {
		if e.word != word {
			continue
		}
		if err := refuseOthers(cmd, e.statement, exportStatements()...); err != nil {
			return nil, err
		}
		for _, o := range append(walkOptions(), query.OptionInfo{Name: "method"}) {
			if cmd.Flags().Changed(flagName(o.Name)) {
				return nil, usageError{fmt.Errorf("--%s is for EXPORT WALKS, not for %s", flagName(o.Name), e.statement)}
			}
		}
		return e.node(name, file, givenOptions(cmd, e.statement)), nil
	}
	return nil, usageError{fmt.Errorf("expected %s, found %q", words(exportWords(), "or"), word)}
}

// walksStatement is EXPORT WALKS.
func walksStatement(cmd *cobra.Command, graph parser.Ident, file parser.Value) (parser.Statement, error) {
	const statement = "EXPORT WALKS"
	if err := refuseOthers(cmd, statement, exportStatements()...); err != nil {
		return nil, err
	}
	method, err := cmd.Flags().GetString("method")
	must(err)
	return &parser.ExportWalks{
		Graph: graph, File: file, Options: givenOptions(cmd, statement),
		Method: parser.Call{Name: parser.Ident{Name: method}, Options: givenFlags(cmd, walkOptions())},
	}, nil
}

// walkMethods are the methods that learn from walks.
func walkMethods() []string {
	var names []string
	for _, m := range query.Methods() {
		if m.Walks {
			names = append(names, m.Name)
		}
	}
	return names
}

// walkOptions are the options of all methods that learn from walks. Those with
// different defaults have none here.
func walkOptions() []query.OptionInfo {
	var list []query.OptionInfo
	for _, m := range query.Methods() {
		if !m.Walks {
			continue
		}
		for _, o := range m.Options {
			i := slices.IndexFunc(list, func(known query.OptionInfo) bool { return known.Name == o.Name })
			switch {
			case i < 0:
				list = append(list, o)
			case list[i].Default != o.Default:
				list[i].Default = ""
			}
		}
	}
	return list
}

// newExport is the command that writes a graph or an embedding to a file.
func newExport(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FILE " + strings.Join(exportWords(), "|") + " NAME OUTPUT",
		Short: "Write a graph, its vertices, an embedding or walks to a file",
		Long: `Write the edges of a graph, the attributes of its vertices, an embedding, or the
walks that a method learns from to a file in a form that other programs read. The
form follows from the ending of OUTPUT, unless --format says it; a further .gz or
.zst compresses. OUTPUT appears when it is complete.`,
		Example: `  heavytail export social.ht graph social social.graphml
  heavytail export social.ht vertices social people.csv
  heavytail export social.ht embedding spec spec.npy
  heavytail export social.ht walks social walks.txt.gz --method deepwalk --length 80`,
		Args:              exactly(4, "FILE, one of "+words(exportWords(), "and")+", NAME and OUTPUT"),
		ValidArgsFunction: completeExport,
		RunE: func(cmd *cobra.Command, args []string) error {
			statement, err := exportStatement(cmd, args[1], parser.Ident{Name: args[2]}, parser.String{Value: args[3]})
			if err != nil {
				return err
			}
			return runStatement(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true}, "table", statement)
		},
	}
	cmd.Flags().String("format", "", "form of OUTPUT: "+formsOf())
	for _, e := range exports {
		addOptions(cmd, e.statement)
	}
	methods := walkMethods()
	cmd.Flags().String("method", methods[0], "of walks: "+strings.Join(methods, ", "))
	must(cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(methods, cobra.ShellCompDirectiveNoFileComp)))
	addFlags(cmd, walkOptions())
	return cmd
}

// formsOf lists the forms in which export can write.
func formsOf() string {
	text := ""
	for _, e := range exports {
		options := statementOptions(e.statement)
		i := slices.IndexFunc(options, func(o query.OptionInfo) bool { return o.Name == "format" })
		if i < 0 {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += e.word + " " + fmt.Sprint(options[i].Choices)
	}
	return text
}

// completeExport completes the second argument.
func completeExport(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return exportWords(), cobra.ShellCompDirectiveNoFileComp
}
