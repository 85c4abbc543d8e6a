package query

// This file has the plans of the statements that look after the file.

func (o *checkOp) plan() *Plan {
	return result("check", "all faults at once", measuredStep(stepRead, "file", "every record, its checksum and its content"))
}

func (o *compactOp) plan() *Plan {
	return result("new file", "in the place of the old one, in one step", measuredStep(stepWrite, "copy", "every record, verified"))
}

func (o *backupOp) plan() *Plan {
	return result("new file", quote(o.req.Path)+", in one step", measuredStep(stepWrite, "copy", "every record as it is now, verified"))
}

func (o *migrateOp) plan() *Plan {
	return result("new file", "in the place of the old one, in one step, if its format is older", measuredStep(stepWrite, "copy", "every record, verified"))
}

func (o *recoverOp) plan() *Plan {
	return result("new file", quote(o.req.Path)+", in one step", measuredStep(stepWrite, "copy", "every record that is sound"))
}
