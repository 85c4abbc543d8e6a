package query

import (
	"context"

	"heavytail/storage"
)

// Check verifies everything in the file and reports all faults at once, each
// with what to do about it. The error says only that it could not run.
func (db *DB) Check(ctx context.Context) (storage.CheckReport, error) {
	c, err := db.begin(ctx, "CHECK")
	if err != nil {
		return storage.CheckReport{}, err
	}
	defer c.end()
	report, err := c.check()
	return report, c.wrap(err)
}

func (c *call) check() (storage.CheckReport, error) {
	stop := c.watch.start(stepRead)
	report, err := c.db.store.Check(c.ctx, c.meter.update)
	if err != nil {
		return report, err
	}
	stop(report.Records, "")
	for _, note := range report.Notes {
		c.notice("%s", note)
	}
	if report.OK() {
		c.notice("the file is sound: %s, %s, %s verified", count(int64(report.Graphs), "graph"),
			count(int64(report.Embeddings), "embedding"), count(report.Records, "record"))
	} else {
		c.notice("%s found", count(int64(len(report.Faults)), "fault"))
	}
	return report, nil
}
