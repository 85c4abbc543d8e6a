package tune

import (
	"cmp"
	"math"
	"slices"
)

// This file has the stages of a search.

// How many points continue from a stage to the next. Solves are expensive and scales are
// cheap, so several scales of each solve continue.
const (
	surveyedPoints  = 5 // of each solve of the survey after the first of a branch
	selectedSolves  = 3 // of each method at the end of the survey
	selectedPoints  = 3 // of each of these solves
	confirmedPoints = 3 // at the end, where there are estimates
	// firstSelection is the round of the survey of a method after which its best solve
	// so far is selected for the first time; the next times are after twice as many
	// rounds and one, so that full embeddings take no more than the survey does.
	firstSelection = 3
	// contender is the fraction of the best score that the best of another branch must
	// reach to be refined too.
	contender = 0.97
)

// run runs the stages.
func (s *search) run() error {
	s.reason = Finished
	lanes := s.lanes()
	if err := s.survey(lanes); err != nil {
		return err
	}
	best, err := s.contenders(lanes)
	if err != nil {
		return err
	}
	s.stage = Refine
	most := value(best[0].score)
	for i, b := range best {
		if i > 0 && !(b.score >= contender*most) {
			break
		}
		refined, err := s.refine(b)
		if err != nil {
			return err
		}
		most = max(most, value(refined.score))
	}
	return s.finish()
}

// finish judges exactly the best points that have only estimates. If a close
// judgement is not an estimate, there is nothing to do: the exact judgement is
// reserved for points chosen by close ones, and the best of more exact
// judgements would be the best by chance.
func (s *search) finish() error {
	s.stage = Confirm
	if s.objective.CloseIs() != Estimate {
		return nil
	}
	var list []scored
	for k, i := range s.done {
		if t := s.trials[i]; k.effort == Close {
			list = append(list, scored{k.branch, k.point, t.Score, t.Number})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(better(a, b), cmp.Compare(a.number, b.number)) })
	for _, x := range list[:min(len(list), confirmedPoints)] {
		if err := s.confirm(x.branch, x.point); err != nil {
			return err
		}
	}
	return nil
}

// contenders selects the best of the survey, and returns the best point of each
// branch, defaults among them, the best first.
func (s *search) contenders(lanes []*lane) ([]scored, error) {
	list, err := s.selection(lanes, selectedSolves)
	if err != nil {
		return nil, err
	}
	for _, b := range s.branches {
		if !b.home {
			continue
		}
		x := scored{branch: b, point: b.standard()}
		if x.score, err = s.tryClosely(b, x.point); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	best := map[*branch]scored{}
	for _, x := range list {
		if old, there := best[x.branch]; !there || better(x, old) < 0 {
			best[x.branch] = x
		}
	}
	var order []scored
	for _, b := range s.branches {
		if x, there := best[b]; there {
			order = append(order, x)
		}
	}
	slices.SortStableFunc(order, better)
	return order, nil
}

// selection tries the best solves of the survey of each method with all
// dimensions and walks, and returns their points with the new scores. Scores
// of the survey are comparable neither between methods nor with scores in
// full: few walks reduce the score more than few dimensions.
func (s *search) selection(lanes []*lane, solves int) ([]scored, error) {
	s.stage = Select
	var list []scored
	for rank := range solves {
		for _, l := range lanes {
			if ranked := l.ranked(); rank < len(ranked) {
				list = append(list, ranked[rank][:min(len(ranked[rank]), selectedPoints)]...)
			}
		}
	}
	for i, x := range list {
		var err error
		if list[i].score, err = s.tryClosely(x.branch, x.point); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// refine searches around a point in sweeps. Steps are halved when no axis helps any more.
func (s *search) refine(from scored) (scored, error) {
	for share := 1.0; slices.ContainsFunc(from.branch.axes, func(a axis) bool { return a.step*share >= a.finest }); {
		next, err := s.sweep(from, share)
		if err != nil {
			return from, err
		}
		if better(next, from) >= 0 {
			share /= 2
		}
		from = next
	}
	return from, nil
}

// sweep tries one step to either side on each axis, the cheap axes first, and again from
// every better point. It leaves out the axes whose step would be too fine.
func (s *search) sweep(from scored, share float64) (scored, error) {
	b := from.branch
	order := make([]int, len(b.axes)) // of axes
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return compareBool(b.axes[i].solved, b.axes[j].solved)
	})
	for _, i := range order {
		step := b.axes[i].step * share
		if step < b.axes[i].finest {
			continue
		}
		next, err := s.line(from, i, step)
		if err != nil {
			return from, err
		}
		if better(next, from) < 0 {
			from = next
		}
	}
	return from, nil
}

// line follows one axis in the direction that helps, as long as it does, with
// steps that double: the best may be far beyond the grid.
func (s *search) line(from scored, axis int, step float64) (scored, error) {
	best := from
	for _, direction := range []float64{step, -step} {
		for length := direction; ; length *= 2 {
			next := best
			a := from.branch.axes[axis]
			next.point[axis] = round(min(a.most, max(a.least, best.point[axis]+length)))
			if next.point == best.point {
				break
			}
			var err error
			if next.score, err = s.tryClosely(next.branch, next.point); err != nil {
				return best, err
			}
			if better(next, best) >= 0 {
				break
			}
			best = next
		}
		if best.point != from.point {
			break
		}
	}
	return best, nil
}

// round keeps the values of parameters short, since people read and type them.
func round(x float64) float64 { return math.Round(x*1e5) / 1e5 }
