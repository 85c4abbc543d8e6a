package parser

// Job is CANCEL JOB n, RESUME JOB n [IN BACKGROUND], WAIT JOB n or DROP JOB n.
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
