package parser

import (
	"strconv"
	"strings"
)

// This file writes the parts of statements as canonical text.

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

func (n NewVertex) String() string {
	if len(n.Values) == 0 {
		return n.Key.String()
	}
	return n.Key.String() + " (" + list(n.Values) + ")"
}

func (n NewEdge) String() string {
	text := "(" + n.U.String() + ", " + n.V.String()
	if values := n.Values.text(); values != "" {
		text += ", " + values
	}
	return text + ")"
}

// text writes what is there, the weight first.
func (v EdgeValues) text() string {
	var parts []string
	if v.Weight != nil {
		parts = append(parts, "WEIGHT := "+v.Weight.String())
	}
	if v.Time != nil {
		parts = append(parts, "TIME := "+v.Time.String())
	}
	return strings.Join(parts, ", ")
}

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

func (n Missing) String() string { return "MISSING" }

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

func (n In) String() string {
	word := " IN ("
	if n.Not {
		word = " NOT IN ("
	}
	return n.Operand.String() + word + list(n.Values) + ")"
}

func (n IsMissing) String() string {
	if n.Not {
		return n.Operand.String() + " IS NOT MISSING"
	}
	return n.Operand.String() + " IS MISSING"
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

func limit(n Value) string {
	if n == nil {
		return ""
	}
	return " LIMIT " + n.String()
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
