package engine

import (
	"heavytail/query/help"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// EXPLAIN and PROFILE share a type of node. Their request is the inner
// statement, bound and resolved.

// Explain is the statement EXPLAIN.
var Explain = &Statement[*parser.Explain, Operation, Nothing, *plan.Plan]{
	Help: help.Statement{
		Statement: "EXPLAIN",
		Summary:   "shows how a statement would be answered, without running it",
		Words:     "plan dry run query plan",
		Columns:   "step, detail",
		Example:   "EXPLAIN NEAREST 10 TO 'alice' USING spec",
	},
	When:    func(s *parser.Explain) bool { return !s.Profile },
	Bind:    bindInner,
	Resolve: ResolveNothing[Operation],
	Plan:    planInner,
	Run:     func(_ *Call, inner Operation, _ Nothing) (*plan.Plan, error) { return inner.Plan(), nil },
	Table:   func(_ Operation, p *plan.Plan) [][]rows.Value { return p.Table() },
	Reads:   true,
}

// Profile is the statement PROFILE.
var Profile = &Statement[*parser.Explain, Operation, Nothing, [][]rows.Value]{
	Help: help.Statement{
		Statement: "PROFILE",
		Summary:   "runs a statement and shows the rows and seconds of each step",
		Words:     "timing slow performance speed",
		Columns:   "step, detail, rows, seconds",
		Example:   "PROFILE WITHIN RADIUS 0.35 OF 'alice' USING spec",
	},
	When:    func(s *parser.Explain) bool { return s.Profile },
	Bind:    bindInner,
	Resolve: ResolveNothing[Operation],
	Plan:    planInner,
	Run:     runProfile,
	Table:   func(_ Operation, table [][]rows.Value) [][]rows.Value { return table },
	Reads:   true,
}

func bindInner(b *Binder, s *parser.Explain) Operation {
	inner, err := b.Prepare(s.Statement)
	b.Fail(err)
	return inner
}

func planInner(inner Operation, _ Nothing) *plan.Plan { return inner.Plan() }

func runProfile(c *Call, inner Operation, _ Nothing) ([][]rows.Value, error) {
	steps := inner.Plan()
	rows, err := inner.Exec(c)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	n := int64(0)
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	c.Stop(n, "")
	return steps.Profile(c.Watch), nil
}

// Statements lists the statements around others.
func Statements() []Described { return []Described{Tail, Explain, Profile} }
