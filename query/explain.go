package query

import (
	"heavytail/query/help"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// EXPLAIN and PROFILE share a type of node. Their request is the inner
// statement, bound and resolved.

var explain = &statement[*parser.Explain, operation, nothing, *plan.Plan]{
	Help: help.Statement{
		Statement: "EXPLAIN", Syntax: "EXPLAIN statement",
		Summary: "shows how a statement would be answered, without running it",
		Columns: "step, detail",
		Example: "EXPLAIN NEAREST 10 TO 'alice' USING spec",
	},
	When:    func(s *parser.Explain) bool { return !s.Profile },
	Bind:    bindInner,
	Resolve: resolveNothing[operation],
	Plan:    planInner,
	Run:     func(_ *call, inner operation, _ nothing) (*plan.Plan, error) { return inner.Plan(), nil },
	Table:   func(_ operation, p *plan.Plan) [][]rows.Value { return p.Table() },
	Reads:   true,
}

var profile = &statement[*parser.Explain, operation, nothing, [][]rows.Value]{
	Help: help.Statement{
		Statement: "PROFILE", Syntax: "PROFILE statement",
		Summary: "runs a statement and shows the rows and seconds of each step",
		Columns: "step, detail, rows, seconds",
		Example: "PROFILE WITHIN RADIUS 0.35 OF 'alice' USING spec",
	},
	When:    func(s *parser.Explain) bool { return s.Profile },
	Bind:    bindInner,
	Resolve: resolveNothing[operation],
	Plan:    planInner,
	Run:     runProfile,
	Table:   func(_ operation, table [][]rows.Value) [][]rows.Value { return table },
	Reads:   true,
}

func bindInner(b *binder, s *parser.Explain) operation {
	inner, err := b.Prepare(s.Statement)
	b.Fail(err)
	return inner
}

func planInner(inner operation, _ nothing) *plan.Plan { return inner.Plan() }

func runProfile(c *call, inner operation, _ nothing) ([][]rows.Value, error) {
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
