package query

import (
	"heavytail/query/parser"
	"heavytail/query/plan"
)

// EXPLAIN and PROFILE share a type of node. Their request is the inner
// statement, bound and resolved.

var explain = &statement[*parser.Explain, operation, nothing, *plan.Plan]{
	help: Help{
		Statement: "EXPLAIN", Syntax: "EXPLAIN statement",
		Summary: "shows how a statement would be answered, without running it",
		Columns: "step, detail",
		Example: "EXPLAIN NEAREST 10 TO 'alice' USING spec",
	},
	when:    func(s *parser.Explain) bool { return !s.Profile },
	bind:    bindInner,
	resolve: resolveNothing[operation],
	plan:    planInner,
	run:     func(_ *call, inner operation, _ nothing) (*plan.Plan, error) { return inner.plan(), nil },
	table:   func(_ operation, p *plan.Plan) [][]Value { return p.Table() },
	reads:   true,
}

var profile = &statement[*parser.Explain, operation, nothing, [][]Value]{
	help: Help{
		Statement: "PROFILE", Syntax: "PROFILE statement",
		Summary: "runs a statement and shows the rows and seconds of each step",
		Columns: "step, detail, rows, seconds",
		Example: "PROFILE WITHIN RADIUS 0.35 OF 'alice' USING spec",
	},
	when:    func(s *parser.Explain) bool { return s.Profile },
	bind:    bindInner,
	resolve: resolveNothing[operation],
	plan:    planInner,
	run:     runProfile,
	table:   func(_ operation, table [][]Value) [][]Value { return table },
	reads:   true,
}

func bindInner(b *binder, s *parser.Explain) operation {
	inner, err := b.prepare(s.Statement)
	b.Fail(err)
	return inner
}

func planInner(inner operation, _ nothing) *plan.Plan { return inner.plan() }

func runProfile(c *call, inner operation, _ nothing) ([][]Value, error) {
	steps := inner.plan()
	rows, err := inner.exec(c)
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
	c.stop(n, "")
	return steps.Profile(c.Watch), nil
}
