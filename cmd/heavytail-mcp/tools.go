package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heavytail/cmd/heavytail/manual"
	"heavytail/query"
	"heavytail/query/parser"
)

const instructions = `A heavytail file has graphs, embeddings of their vertices, and models of links. Begin with list. ` +
	`Vertices are named by their keys, which are texts. Statements are not SQL: help explains them. ` +
	`Values of the user belong into params, for $name in the statement.`

// newServer makes a server of the tools on a file.
func newServer(f *file) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "heavytail", Version: "0"}, &mcp.ServerOptions{Instructions: instructions, PageSize: 50})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}
	mcp.AddTool(s, &mcp.Tool{Name: "list", Description: "Lists graphs, embeddings, models and jobs of the file.", Annotations: reads}, f.list)
	mcp.AddTool(s, &mcp.Tool{Name: "describe", Description: "Describes a graph, an embedding or a model by its properties.", Annotations: reads}, f.describe)
	mcp.AddTool(s, &mcp.Tool{Name: "explain_link", Description: "Shows why two vertices of a graph may be linked: scores of the pair, and the neighbours that they have in common.", Annotations: reads}, f.explain)
	mcp.AddTool(s, &mcp.Tool{Name: "help", Description: "Explains a statement, method, scorer or measure, or searches the help.", Annotations: reads}, help)
	about := "Runs one statement that reads, such as NEAREST 10 TO $who USING spec, and returns a page of its rows."
	if f.write {
		about = "Runs one statement, which may also write, and returns a page of its rows."
	}
	mcp.AddTool(s, &mcp.Tool{Name: "query", Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !f.write, OpenWorldHint: new(bool)}}, f.query)
	addResources(s)
	return s
}

type nothing struct{}

type listed struct {
	Graphs     page `json:"graphs"`
	Embeddings page `json:"embeddings"`
	Models     page `json:"models"`
	Jobs       page `json:"jobs"`
}

func (f *file) list(ctx context.Context, _ *mcp.CallToolRequest, _ nothing) (_ *mcp.CallToolResult, l listed, err error) {
	for _, part := range []struct {
		statement string
		to        *page
	}{
		{"SHOW GRAPHS COLUMNS graph, vertices, edges, modified", &l.Graphs},
		{"SHOW EMBEDDINGS COLUMNS embedding, graph, method, dim, vertices, behind", &l.Embeddings},
		{"SHOW MODELS COLUMNS model, graph, auc, behind", &l.Models},
		{"SHOW JOBS COLUMNS job, state, statement, progress, error", &l.Jobs},
	} {
		if *part.to, err = f.run(ctx, part.statement, nil, 0); err != nil {
			return nil, l, err
		}
	}
	return nil, l, nil
}

type described struct {
	Kind string `json:"kind" jsonschema:"graph, embedding or model"`
	Name string `json:"name"`
	All  bool   `json:"all,omitempty" jsonschema:"all properties, also those that take longer to compute"`
}

func (f *file) describe(ctx context.Context, _ *mcp.CallToolRequest, in described) (*mcp.CallToolResult, page, error) {
	kind := strings.ToUpper(in.Kind)
	if !slices.Contains([]string{"GRAPH", "EMBEDDING", "MODEL"}, kind) {
		return nil, page{}, fmt.Errorf("kind is %q, expected graph, embedding or model", in.Kind)
	}
	text := "DESCRIBE " + kind + " " + parser.Ident{Name: in.Name}.String()
	if in.All {
		text += " ALL"
	}
	p, err := f.run(ctx, text, nil, 0)
	return nil, p, err
}

type asked struct {
	Statement string         `json:"statement" jsonschema:"one statement of the language, without a semicolon"`
	Params    map[string]any `json:"params,omitempty" jsonschema:"values of the parameters $name: texts, numbers, booleans or lists of numbers"`
	Offset    int            `json:"offset,omitempty" jsonschema:"rows to leave out: next of the page before; the statement runs again"`
}

func (f *file) query(ctx context.Context, _ *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, page, error) {
	if in.Offset < 0 {
		return nil, page{}, fmt.Errorf("offset is %d, and must not be negative", in.Offset)
	}
	params := make(map[string]any, len(in.Params))
	for name, value := range in.Params {
		v, err := parameter(value)
		if err != nil {
			return nil, page{}, fmt.Errorf("parameter $%s: %w", name, err)
		}
		params[name] = v
	}
	p, err := f.run(ctx, in.Statement, params, in.Offset)
	return nil, p, err
}

// parameter is a value of JSON as a statement takes it.
func parameter(value any) (any, error) {
	switch v := value.(type) {
	case nil, string, bool:
		return v, nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), nil
		}
		return v, nil
	case []any:
		vector := make([]float64, len(v))
		for i, x := range v {
			number, ok := x.(float64)
			if !ok {
				return nil, fmt.Errorf("a list has numbers only")
			}
			vector[i] = number
		}
		return vector, nil
	}
	return nil, fmt.Errorf("expected a text, a number, a boolean or a list of numbers")
}

type pair struct {
	Graph  string `json:"graph"`
	Source string `json:"source" jsonschema:"key of a vertex"`
	Target string `json:"target" jsonschema:"key of another vertex"`
}

type explanation struct {
	Scores page     `json:"scores"`
	Common []string `json:"common" jsonschema:"neighbours of both, of those of fewest edges first; at most as many as an answer has rows"`
}

func (f *file) explain(ctx context.Context, _ *mcp.CallToolRequest, in pair) (_ *mcp.CallToolResult, e explanation, err error) {
	graph := parser.Ident{Name: in.Graph}.String()
	params := map[string]any{"a": in.Source, "b": in.Target}
	e.Scores, err = f.run(ctx, "SCORE ($a, $b) IN "+graph+" WITH common_neighbors, jaccard, adamic_adar, resource_allocation, preferential_attachment", params, 0)
	if err != nil {
		return nil, e, err
	}
	e.Common, err = f.common(ctx, graph, in)
	return nil, e, err
}

// common lists the neighbours of both vertices of a pair.
func (f *file) common(ctx context.Context, graph string, in pair) ([]string, error) {
	first, err := f.neighbors(ctx, graph, in.Source)
	if err != nil {
		return nil, err
	}
	second, err := f.neighbors(ctx, graph, in.Target)
	if err != nil {
		return nil, err
	}
	of := map[string]bool{}
	for _, v := range second {
		of[v] = true
	}
	both := []string{}
	for _, v := range first {
		if of[v] && len(both) < f.rows {
			both = append(both, v)
		}
	}
	return both, nil
}

// neighbors lists the neighbours of a vertex, those of fewest edges first.
func (f *file) neighbors(ctx context.Context, graph, vertex string) ([]string, error) {
	p, err := f.part(ctx, "SHOW NEIGHBORS OF $v IN "+graph+" ORDER BY degree", map[string]any{"v": vertex}, 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		names[i], _ = row[0].(string)
	}
	return names, nil
}

type topic struct {
	Words string `json:"words,omitempty" jsonschema:"such as NEAREST, dp_spectral or missing values; empty lists the statements"`
}

func help(_ context.Context, _ *mcp.CallToolRequest, in topic) (*mcp.CallToolResult, any, error) {
	text, err := helpText(in.Words)
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

// helpText is what HELP shows, a line for each row.
func helpText(words string) (string, error) {
	answer, err := query.HelpOn(manual.Files, strings.Fields(words)...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for answer.Next() {
		fmt.Fprintf(&b, "%v: %v\n", answer.Row()...)
	}
	return b.String(), answer.Err()
}
