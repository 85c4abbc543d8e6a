package query

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

var check = &statement[*parser.Check, nothing, nothing, storage.CheckReport]{
	help: Help{
		Statement: "CHECK", Syntax: "CHECK",
		Summary: "verifies everything in the file; a result without rows means that the file is undamaged",
		Columns: "where, fault, remedy",
		Example: "CHECK",
	},
	bind:    bindNothing[*parser.Check],
	resolve: resolveNothing[nothing],
	plan: func(nothing, nothing) *plan.Plan {
		return plan.Result("check", "all faults at once", plan.Measured(plan.Read, "file", "every record, its checksum and its content"))
	},
	run: runCheck,
	table: func(_ nothing, report storage.CheckReport) [][]Value {
		return ofEach(report.Faults, func(f storage.Fault) []Value { return []Value{f.Where, f.What, f.Remedy} })
	},
	reads: true,
}

// Check verifies everything in the file and reports all faults at once, each
// with its remedy. Faults of the file are in the report; the error means that
// Check could not run.
func (s *maintenanceService) Check(ctx context.Context) (storage.CheckReport, error) {
	return check.answer(ctx, s.db, nothing{})
}

func runCheck(c *call, _, _ nothing) (storage.CheckReport, error) {
	stop := c.Watch.Start(plan.Read)
	report, err := c.db.store.Check(c.Ctx, c.Meter.Update)
	if err != nil {
		return report, err
	}
	stop(report.Records, "")
	for _, note := range report.Notes {
		c.Notice("%s", note)
	}
	if report.OK() {
		c.Notice("the file is sound: %s, %s, %s verified", fault.Count(int64(report.Graphs), "graph"),
			fault.Count(int64(report.Embeddings), "embedding"), fault.Count(report.Records, "record"))
	} else {
		c.Notice("%s found", fault.Count(int64(len(report.Faults)), "fault"))
	}
	return report, nil
}
