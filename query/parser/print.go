package parser

import (
	"strconv"
	"strings"
)

// This file writes nodes as canonical text.

func (s *CreateGraph) String() string { return "CREATE GRAPH " + s.Graph.String() }

func (s *DropGraph) String() string {
	text := "DROP GRAPH " + s.Graph.String()
	if s.Cascade {
		text += " CASCADE"
	}
	return text
}

func (s *DropEmbedding) String() string { return "DROP EMBEDDING " + s.Embedding.String() }

func (s *Import) String() string {
	return "IMPORT " + s.File.String() + " INTO " + s.Graph.String() + withOptions(s.Options)
}

func (s *ExportGraph) String() string {
	return "EXPORT GRAPH " + s.Graph.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *ExportEmbedding) String() string {
	return "EXPORT EMBEDDING " + s.Embedding.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *Generate) String() string {
	return "GENERATE " + s.Generator.String() + " INTO " + s.Graph.String()
}

func (s *DescribeGraph) String() string { return "DESCRIBE GRAPH " + s.Graph.String() }

func (s *DescribeEmbedding) String() string { return "DESCRIBE EMBEDDING " + s.Embedding.String() }

func (s *Show) String() string { return "SHOW " + string(s.What) }

func (s *Embed) String() string {
	return "EMBED " + s.Graph.String() + " USING " + s.Method.String() + " AS " + s.Embedding.String()
}

func (s *Nearest) String() string {
	return "NEAREST " + s.Count.String() + " TO " + s.To.String() + " USING " + s.Using.String() + where(s.Where)
}

func (s *Within) String() string {
	text := "WITHIN " + s.Threshold.String() + " OF " + s.Of.String() + " USING " + s.Using.String() + where(s.Where)
	if s.Limit != nil {
		text += " LIMIT " + s.Limit.String()
	}
	return text
}

func (s *Reconstruct) String() string {
	text := "RECONSTRUCT " + s.Embedding.String() + " " + s.Threshold.String()
	if s.Graph != nil {
		text += " INTO GRAPH " + s.Graph.String()
	}
	return text + intoFile(s.File) + withOptions(s.Options)
}

func (s *Score) String() string {
	return "SCORE " + list(s.Pairs) + in(s.Graph) + " WITH " + list(s.Scorers) + withOptions(s.Options)
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}

func (s *Help) String() string { return strings.Join(append([]string{"HELP"}, s.Topic...), " ") }

func (s *Check) String() string { return "CHECK" }

func (s *Explain) String() string {
	if s.Profile {
		return "PROFILE " + s.Statement.String()
	}
	return "EXPLAIN " + s.Statement.String()
}

// String quotes the name where it is a reserved word or not written like one.
func (n Ident) String() string {
	if isWord(n.Name) && !Reserved(n.Name) {
		return n.Name
	}
	return `"` + strings.ReplaceAll(n.Name, `"`, `""`) + `"`
}

func (n Call) String() string {
	if len(n.Options) == 0 {
		return n.Name.String()
	}
	return n.Name.String() + "(" + list(n.Options) + ")"
}

func (n Option) String() string { return n.Name.String() + " := " + n.Value.String() }

func (n Space) String() string {
	if n.Metric == nil {
		return n.Embedding.String()
	}
	return n.Metric.String() + "(" + n.Embedding.String() + ")"
}

// String returns AUTO, RADIUS or EPSILON.
func (k ThresholdKind) String() string {
	switch k {
	case Radius:
		return "RADIUS"
	case Epsilon:
		return "EPSILON"
	default:
		return "AUTO"
	}
}

func (n Threshold) String() string {
	if n.Value == nil {
		return n.Kind.String()
	}
	return n.Kind.String() + " " + n.Value.String()
}

func (n Pair) String() string { return "(" + n.U.String() + ", " + n.V.String() + ")" }

func (n Scorer) String() string {
	if n.Of == nil {
		return n.Name.String()
	}
	return n.Name.String() + "(" + n.Of.String() + ")"
}

func (n String) String() string { return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'" }

func (n Int) String() string { return strconv.FormatInt(n.Value, 10) }

// String writes the shortest text that reads back as the same number, and one
// that no integer has.
func (n Float) String() string {
	text := strconv.FormatFloat(n.Value, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func (n Bool) String() string {
	if n.Value {
		return "TRUE"
	}
	return "FALSE"
}

func (n Vector) String() string {
	text := []byte{'['}
	for i, x := range n.Values {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendFloat(text, x, 'g', -1, 64)
	}
	return string(append(text, ']'))
}

func (n Param) String() string { return "$" + n.Name }

// How tightly a condition binds. Its terms that bind no tighter are written in
// parentheses, which keeps the shape of the tree.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindAtom
)

func binding(e Expr) int {
	switch e.(type) {
	case Or:
		return bindOr
	case And:
		return bindAnd
	case Not:
		return bindNot
	default:
		return bindAtom
	}
}

func (n Or) String() string { return chain(n.Terms, " OR ", bindOr) }

func (n And) String() string { return chain(n.Terms, " AND ", bindAnd) }

func (n Not) String() string {
	if binding(n.Term) < bindNot {
		return "NOT (" + n.Term.String() + ")"
	}
	return "NOT " + n.Term.String()
}

func chain(terms []Expr, word string, bind int) string {
	parts := make([]string, len(terms))
	for i, term := range terms {
		parts[i] = term.String()
		if binding(term) <= bind {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, word)
}

// String returns the operator's sign; NotEqual is <>.
func (o Operator) String() string { return [...]string{"=", "<>", "<", "<=", ">", ">="}[o] }

func (n Compare) String() string {
	return n.Left.String() + " " + n.Op.String() + " " + n.Right.String()
}

func (n Flag) String() string { return n.Name.String() }

func list[N Node](nodes []N) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.String()
	}
	return strings.Join(parts, ", ")
}

func where(e Expr) string {
	if e == nil {
		return ""
	}
	return " WHERE " + e.String()
}

func in(graph *Ident) string {
	if graph == nil {
		return ""
	}
	return " IN " + graph.String()
}

func intoFile(file Value) string {
	if file == nil {
		return ""
	}
	return " INTO FILE " + file.String()
}

func withOptions(options []Option) string {
	if len(options) == 0 {
		return ""
	}
	return " WITH (" + list(options) + ")"
}
