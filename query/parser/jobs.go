package parser

// Job is CANCEL JOB n, RESUME JOB n [IN BACKGROUND], WAIT JOB n or DROP JOB n.
//
//	job          = ( "CANCEL" | "WAIT" | "DROP" )
//	               "JOB" integer
//	               | "RESUME" "JOB" integer [ background ]  e.g. WAIT JOB 3; RESUME JOB 4 IN BACKGROUND; DROP JOB 4;
type Job struct {
	Range
	Verb       JobVerb
	Number     Value // Int or Param
	Background bool  // of RESUME
}

// JobVerb is what a Job does with the job, by its keyword.
type JobVerb string

// The verbs.
const (
	CancelJob JobVerb = "CANCEL"
	ResumeJob JobVerb = "RESUME"
	WaitJob   JobVerb = "WAIT"
	DropJob   JobVerb = "DROP"
)

// Heading is the verb and JOB.
func (s *Job) Heading() string { return string(s.Verb) + " JOB" }

// jobBy reads the text behind a verb.
func jobBy(verb JobVerb) func(*parser) Statement {
	return func(p *parser) Statement {
		p.needKeyword("JOB")
		return p.jobNumber(verb)
	}
}

func (p *parser) dropJob() Statement { return p.jobNumber(DropJob) }

// jobNumber reads the text behind JOB.
func (p *parser) jobNumber(verb JobVerb) Statement {
	s := &Job{Verb: verb, Number: p.value(anInt, jobText)}
	if verb == ResumeJob {
		s.Background = p.background()
	}
	return s
}

func (s *Job) String() string {
	return s.Heading() + " " + s.Number.String() + background(s.Background)
}
