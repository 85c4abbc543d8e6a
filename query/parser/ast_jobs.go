package parser

// JobVerb is what is to be done with a job. Its text is the keyword.
type JobVerb string

// The verbs.
const (
	CancelJob JobVerb = "CANCEL"
	ResumeJob JobVerb = "RESUME"
	WaitJob   JobVerb = "WAIT"
	DropJob   JobVerb = "DROP"
)

// Job is CANCEL JOB n, RESUME JOB n [IN BACKGROUND], WAIT JOB n or DROP JOB n.
type Job struct {
	Range
	Verb       JobVerb
	Number     Value // Int or Param
	Background bool  // of RESUME
}

// Estimate is ESTIMATE EMBED g USING method(…).
type Estimate struct {
	Range
	Graph  Ident
	Method Call
}

func (*Job) statement()      {}
func (*Estimate) statement() {}
