package maintenance

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

var check = &engine.Statement[*parser.Check, engine.Nothing, engine.Nothing, storage.CheckReport]{
	Help: help.Statement{
		Statement: "CHECK",
		Summary:   "verifies everything in the file; a result without rows means that the file is undamaged",
		Words:     "integrity fsck corrupt damaged verify validate",
		Columns:   "where, fault, remedy",
	},
	Bind:    engine.BindNothing[*parser.Check],
	Resolve: engine.ResolveNothing[engine.Nothing],
	Plan: func(engine.Nothing, engine.Nothing) *plan.Plan {
		return plan.Result("check", "all faults at once", plan.Measured(plan.Read, "file", "every record, its checksum and its content"))
	},
	Run: runCheck,
	Table: func(_ engine.Nothing, report storage.CheckReport) [][]rows.Value {
		return lists.Map(report.Faults, func(f storage.Fault) []rows.Value { return []rows.Value{f.Where, f.What, f.Remedy} })
	},
	Reads: true,
}

// Check verifies everything in the file and reports all faults at once, each
// with its remedy. Faults of the file are in the report; the error means that
// Check could not run.
func (s *Service) Check(ctx context.Context) (storage.CheckReport, error) {
	return check.Answer(ctx, s.db, engine.Nothing{})
}

func runCheck(c *engine.Call, _, _ engine.Nothing) (storage.CheckReport, error) {
	stop := c.Watch.Start(plan.Read)
	report, err := c.DB.Store.Check(c.Ctx, c.Meter.Update)
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

// Stats reports the space of each object in the file. It reads the pages of
// all records, about 0.2 s per gigabyte of edges.
func (s *Service) Stats(ctx context.Context) (storage.Stats, error) {
	return engine.InCall(ctx, s.db, "SHOW STATS", entries.Stats)
}
