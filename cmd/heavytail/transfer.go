package main

import (
	"fmt"
	"slices"

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

// exportStatements are the statements of all exports.
func exportStatements() []string {
	var statements []string
	for _, e := range exports {
		statements = append(statements, e.statement)
	}
	return statements
}

// newExport is the command that writes a graph or an embedding to a file.
func newExport(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FILE graph|vertices|embedding NAME OUTPUT",
		Short: "Write a graph, its vertices or an embedding to a file",
		Long: `Write the edges of a graph, the attributes of its vertices, or an embedding to a
file in a form that other programs read. The form follows from the ending of
OUTPUT, unless --format says it; a further .gz or .zst compresses. OUTPUT appears
when it is complete.`,
		Example: `  heavytail export social.ht graph social social.graphml
  heavytail export social.ht vertices social people.csv
  heavytail export social.ht embedding spec spec.npy`,
		Args:              exactly(4, "FILE, one of graph, vertices and embedding, NAME and OUTPUT"),
		ValidArgsFunction: completeExport,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, e := range exports {
				if e.word == args[1] {
					if err := refuseOthers(cmd, e.statement, exportStatements()...); err != nil {
						return err
					}
					statement := e.node(parser.Ident{Name: args[2]}, parser.String{Value: args[3]}, givenOptions(cmd, e.statement))
					return runStatement(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true}, "table", statement)
				}
			}
			return usageError{fmt.Errorf("expected graph, vertices or embedding, found %q", args[1])}
		},
	}
	cmd.Flags().String("format", "", "form of OUTPUT: "+formsOf())
	for _, e := range exports {
		addOptions(cmd, e.statement)
	}
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
	return []string{"graph", "vertices", "embedding"}, cobra.ShellCompDirectiveNoFileComp
}
