package query

import (
	"errors"
	"fmt"

	"heavytail/query/parser"
	"heavytail/storage"
)

// This file runs the bound statements about jobs.

type jobOp struct {
	verb       parser.JobVerb
	job        uint64
	background bool
}

func (o *jobOp) exec(c *call) (*Rows, error) {
	var (
		info storage.JobInfo
		err  error
	)
	switch {
	case o.verb == parser.DropJob:
		return none(), c.dropJob(o.job)
	case o.verb == parser.ResumeJob && !o.background:
		return c.resumeJob(o.job)
	case o.verb == parser.ResumeJob:
		info, err = c.resumeInBackground(o.job)
	case o.verb == parser.CancelJob:
		info, err = c.cancelJob(o.job)
	default:
		info, err = c.waitJob(o.job)
	}
	return jobRows([]storage.JobInfo{info}), err
}

func (o *jobOp) plan() *Plan {
	text := map[parser.JobVerb]string{
		parser.CancelJob: "cancel, at a checkpoint",
		parser.ResumeJob: "run from its checkpoint",
		parser.WaitJob:   "wait for its end",
		parser.DropJob:   "forget, with its checkpoint",
	}[o.verb]
	if o.background {
		text += ", in the background"
	}
	return result(fmt.Sprintf("job %d", o.job), text)
}

// jobStatement binds a statement about a job.
func (b *binder) jobStatement(s *parser.Job) (operation, error) {
	b.mark(partJob, s.Number)
	n, err := b.size(partJob, s.Number)
	if err != nil {
		return nil, err
	}
	op := &jobOp{verb: s.Verb, job: uint64(max(n, 0)), background: s.Background}
	_, _, err = b.findJob(op.job)
	if op.verb == parser.DropJob && errors.Is(err, storage.ErrCorrupt) {
		err = nil // what is damaged can still be dropped
	}
	return op, err
}
