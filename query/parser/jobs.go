package parser

// This file has the productions of jobs.

// background reads IN BACKGROUND, where it is there.
func (p *parser) background() bool {
	if !p.keyword("IN") {
		return false
	}
	p.needKeyword("BACKGROUND")
	return true
}

// job reads the rest of a statement about a job.
func (p *parser) job(begin Pos, verb JobVerb) Statement {
	s := &Job{Verb: verb, Number: p.value(anInt, jobText)}
	if verb == ResumeJob {
		s.Background = p.background()
	}
	s.Range = p.since(begin)
	return s
}

func (p *parser) cancelJob(begin Pos) Statement {
	p.needKeyword("JOB")
	return p.job(begin, CancelJob)
}

func (p *parser) resumeJob(begin Pos) Statement {
	p.needKeyword("JOB")
	return p.job(begin, ResumeJob)
}

func (p *parser) waitJob(begin Pos) Statement {
	p.needKeyword("JOB")
	return p.job(begin, WaitJob)
}

func (p *parser) estimate(begin Pos) Statement {
	p.needKeyword("EMBED")
	s := &Estimate{Graph: p.graph()}
	p.needKeyword("USING")
	s.Method = p.call(methodName)
	s.Range = p.since(begin)
	return s
}

func (s *Job) String() string {
	return string(s.Verb) + " JOB " + s.Number.String() + background(s.Background)
}

func (s *Estimate) String() string {
	return "ESTIMATE EMBED " + s.Graph.String() + " USING " + s.Method.String()
}

func background(set bool) string {
	if set {
		return " IN BACKGROUND"
	}
	return ""
}
