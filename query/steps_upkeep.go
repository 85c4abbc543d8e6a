package query

// This file has the plans of the statements that look after the file.

func (o *checkOp) plan() *Plan {
	return result("check", "all faults at once", measuredStep(stepRead, "file", "every record, its checksum and its content"))
}
