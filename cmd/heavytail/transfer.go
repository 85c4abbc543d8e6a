package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/files"
	"heavytail/query/graphs"
	"heavytail/query/vectors"
	"heavytail/storage/format"
)

func newImport(std streams) *cobra.Command {
	vertices := false
	cmd := &cobra.Command{
		Use:   "import FILE GRAPH INPUT",
		Short: "Add the edges or vertices of a text file to a graph",
		Long: `Add the edges of a text file to a graph of a heavytail file, or with --vertices
the attributes of its vertices. The file and the graph are created if they do not
exist. INPUT is plain or compressed (gzip, zstd, bzip2, xz, zip); - is standard input. All of it
is added or, after an error, nothing.`,
		Example: `  heavytail import social.ht social facebook_combined.txt.gz
  heavytail import social.ht mail messages.csv --source from --target to --time sent
  heavytail import social.ht social people.csv --vertices --key id
  zcat edges.gz | heavytail import social.ht social -`,
		ValidArgsFunction: completeGraphs,
		Args:              exactly(3, "FILE, GRAPH and INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, other := "IMPORT", "IMPORT VERTICES"
			if vertices {
				kind, other = other, kind
			}
			if err := refuseOthers(cmd, kind, other); err != nil {
				return err
			}
			request := graphs.ImportRequest{Graph: args[1], Path: args[2]}
			if vertices {
				request.Layout = format.LayoutVertices
			}
			return runStatement(cmd, std, args[0], query.Options{Input: std.in}, "table", kind, request)
		},
	}
	cmd.Flags().BoolVar(&vertices, "vertices", false, "INPUT has one vertex per line, with its attributes in columns")
	addOptions(cmd, "IMPORT")
	addOptions(cmd, "IMPORT VERTICES")
	return cmd
}

// exports lists the words for what the command export writes, with their statements.
// The flags of walks include the options of their methods.
var exports = []struct{ word, statement string }{
	{"graph", "EXPORT GRAPH"}, {"vertices", "EXPORT VERTICES"}, {"embedding", "EXPORT EMBEDDING"}, {exportWalks, "EXPORT WALKS"},
}

// formFlag is the option of all exports but walks whose choices differ between them.
const formFlag = "format"

// exportWalks is the word for the export of walks, which names a method by a flag.
const exportWalks = "walks"

// exportWords returns the words of exports, and exportStatements the statements.
func exportWords() (words []string) {
	for _, e := range exports {
		words = append(words, e.word)
	}
	return words
}

func exportStatements() (statements []string) {
	for _, e := range exports {
		statements = append(statements, e.statement)
	}
	return statements
}

func exportRequest(cmd *cobra.Command, word, name, path string) (statement string, request any, err error) {
	i := slices.Index(exportWords(), word)
	if i < 0 {
		return "", nil, usageError{fmt.Errorf("expected %s, found %q", words(exportWords(), "or"), word)}
	}
	statement = exports[i].statement
	if err := refuseOthers(cmd, statement, exportStatements()...); err != nil {
		return "", nil, err
	}
	if word == exportWalks {
		request, err := walksRequest(cmd, name, path)
		return statement, request, err
	}
	for _, o := range append(walkOptions(), option.Info{Name: "method"}) {
		if cmd.Flags().Changed(flagName(o.Name)) {
			return "", nil, usageError{fmt.Errorf("--%s is for EXPORT WALKS, not for %s", flagName(o.Name), statement)}
		}
	}
	return statement, files.ExportRequest{Name: name, Path: path}, nil
}

func walksRequest(cmd *cobra.Command, graph, path string) (vectors.ExportWalksRequest, error) {
	method, err := cmd.Flags().GetString("method")
	must(err)
	req := vectors.ExportWalksRequest{Graph: graph, Path: path, Method: method, Settings: map[string]any{}}
	for _, g := range given(cmd, walkOptions()) {
		req.Settings[g.Name] = g.Value
	}
	for _, m := range vectors.Methods() {
		for _, o := range walkOptions() {
			has := func(own option.Info) bool { return own.Name == o.Name }
			if m.Name == req.Method && cmd.Flags().Changed(flagName(o.Name)) && !slices.ContainsFunc(m.Options, has) {
				return req, usageError{fmt.Errorf("method %s has no --%s", m.Name, flagName(o.Name))}
			}
		}
	}
	return req, nil
}

func walkMethods() []string {
	var names []string
	for _, m := range vectors.Methods() {
		if m.Walks {
			names = append(names, m.Name)
		}
	}
	return names
}

// walkOptions are the options of all methods that learn from walks. An option whose
// default differs between methods has no default here.
func walkOptions() []option.Info {
	var list []option.Info
	for _, m := range vectors.Methods() {
		if !m.Walks {
			continue
		}
		for _, o := range m.Options {
			i := slices.IndexFunc(list, func(known option.Info) bool { return known.Name == o.Name })
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
form follows from the ending of OUTPUT or from --format; an additional ending .gz or
.zst compresses it. OUTPUT appears when it is complete.`,
		Example: `  heavytail export social.ht graph social social.graphml
  heavytail export social.ht vertices social people.csv
  heavytail export social.ht embedding spec spec.npy
  heavytail export social.ht walks social walks.txt.gz --method deepwalk --length 80`,
		Args:              exactly(4, "FILE, one of "+words(exportWords(), "and")+", NAME and OUTPUT"),
		ValidArgsFunction: completeExport,
		RunE: func(cmd *cobra.Command, args []string) error {
			statement, request, err := exportRequest(cmd, args[1], args[2], args[3])
			if err != nil {
				return err
			}
			return runStatement(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true}, "table", statement, request)
		},
	}
	cmd.Flags().String(formFlag, "", "form of OUTPUT: "+formsOf())
	for _, e := range exports {
		addOptions(cmd, e.statement)
	}
	methods := walkMethods()
	cmd.Flags().String("method", methods[0], "method of the walks: "+strings.Join(methods, ", "))
	must(cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(methods, cobra.ShellCompDirectiveNoFileComp)))
	addFlags(cmd, walkOptions())
	return cmd
}

// formsOf lists the forms in which export can write.
func formsOf() string {
	text := ""
	for _, e := range exports {
		options := statementOptions(e.statement)
		i := slices.IndexFunc(options, func(o option.Info) bool { return o.Name == formFlag })
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

// completeExport completes the second argument, and the third by the names of graphs.
func completeExport(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		if len(args) == 2 && args[1] != "embedding" {
			return graphsIn(args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return exportWords(), cobra.ShellCompDirectiveNoFileComp
}
