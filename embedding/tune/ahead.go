package tune

import "math"

// This file runs trials side by side. Two trials with half of the workers each take less
// time than one after the other with all of them: a training or a small solve gains little
// from a second processor.
//
// Beside the trial that the planner has asked for runs the one that it would ask for next if
// the running one were no success, which is what most trials are. The planner is a function
// of scores, so replaying it with such a score finds that trial. If the planner then asks for
// another one, the result is kept until it does ask for it. So the list of trials is the same
// as without trials side by side.

// job is a trial that runs in the background or has run.
type job struct {
	request
	done  chan struct{} // closed after the end; then the rest is set
	trial Trial
	err   error
}

func (j *job) over() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// start begins a trial that the planner has asked for. It takes half of the workers if
// another trial runs beside it.
func (s *search) start(r request) *job {
	j := &job{request: r, done: make(chan struct{})}
	s.jobs[r.key] = j
	workers := s.workers
	if s.ahead != nil || s.next() != nil {
		workers = (workers + 1) / 2
	}
	s.begin(j, workers)
	return j
}

func (s *search) begin(j *job, workers int) {
	go func() {
		defer close(j.done)
		j.trial, j.err = s.judge(j.request, workers)
	}()
}

// await waits for a trial, and keeps another one running beside it.
func (s *search) await(j *job) {
	for !j.over() {
		if s.ahead == nil {
			if next := s.next(); next != nil {
				s.ahead = &job{request: *next, done: make(chan struct{})}
				s.jobs[next.key] = s.ahead
				s.begin(s.ahead, s.workers/2)
			}
		}
		var other chan struct{}
		if s.ahead != nil {
			other = s.ahead.done
		}
		select {
		case <-j.done:
		case <-other:
			s.ahead = nil
		case about := <-s.reports:
			s.reportAs(s.stage.String() + ": " + about)
		}
	}
}

// abandon waits for the trial that still runs when the search ends. The context of the
// search has ended.
func (s *search) abandon() {
	for _, j := range s.jobs {
		<-j.done
	}
}

// next predicts a trial that can run beside those that do: the one that the planner will
// ask for if these are no success. It returns nil if there is none, or nothing may begin.
func (s *search) next() (found *request) {
	if s.opts.abreast() < 2 || s.spent(0) || len(s.trials) < len(s.known) {
		return nil
	}
	for _, j := range s.jobs {
		if j.branch.method.Placing != nil {
			return nil // it takes all workers, and its end may be the end of the search
		}
	}
	number := 0
	p := s.planner(func(r request) (float64, error) {
		number++
		switch j := s.jobs[r.key]; {
		case number <= len(s.trials):
			return s.trials[number-1].Score, nil
		case s.opts.Trials > 0 && number > s.opts.Trials || number > len(s.trials)+mostAhead:
			return 0, errCut
		case j != nil && j.over():
			return j.trial.Score, j.err
		case j != nil || s.waits(r):
			return math.NaN(), nil
		case r.branch.method.Placing != nil:
			return 0, errCut
		default:
			found = &r
			return 0, errCut
		}
	})
	_ = p.run() // its error is that nothing more is to be known
	return found
}

// mostAhead is the number of trials that are looked at for one to run beside others.
const mostAhead = 100

// waits reports whether a trial would wait for the solve or the training of another one.
func (s *search) waits(r request) bool {
	k := s.embeds(r).shared()
	for _, j := range s.jobs {
		if !j.over() && s.embeds(j.request).shared() == k && !s.runner.has(k) {
			return true
		}
	}
	return false
}
