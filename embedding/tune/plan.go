package tune

import (
	"cmp"
	"math"
	"slices"
)

// This file has the stages of a search.

// How many go on from a stage to the next. Solves are dear and scales are cheap,
// so that of each solve several scales do.
const (
	surveyedPoints  = 5 // of each solve of the survey after the first of a branch
	selectedSolves  = 3 // of each method
	selectedPoints  = 3 // of each of these solves
	confirmedPoints = 3
	// contender is the share of the best score that the best of another branch must
	// have to be refined too.
	contender = 0.97
)

// scored is a point with what it scored.
type scored struct {
	branch *branch
	point  point
	score  float64
	number int // of the trial, where it matters
}

// better orders by descending score; sorts by it are stable.
func better(a, b scored) int { return cmp.Compare(value(b.score), value(a.score)) }

// run goes through the stages.
func (s *search) run() error {
	s.reason = Finished
	groups, err := s.survey()
	if err != nil {
		return err
	}
	best, err := s.selection(groups)
	if err != nil {
		return err
	}
	s.stage, s.planned = Refine, 0
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
	return s.confirm()
}

// confirm takes the exact figures of the best that have only estimates.
func (s *search) confirm() error {
	s.stage = Confirm
	var list []scored
	for k, i := range s.done {
		if t := s.trials[i]; t.Stage != Survey && !t.Exact {
			list = append(list, scored{k.branch, k.point, t.Score, t.Number})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(better(a, b), cmp.Compare(a.number, b.number)) })
	list = list[:min(len(list), confirmedPoints)]
	s.left, s.planned = len(list), len(s.trials)+len(list)
	for _, x := range list {
		if _, err := s.try(x.branch, x.point); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

// survey tries the grid of every branch, a solve of each in turn, and returns the
// points of each branch by solve, the best point of each first. Of all
// solves but the first of a branch it tries the scales that were best before.
func (s *search) survey() (map[*branch][][]scored, error) {
	s.stage = Survey
	grids := make([][][]point, len(s.branches))
	most := 0
	for i, b := range s.branches {
		grids[i] = b.grid()
		most = max(most, len(grids[i]))
		s.left += len(grids[i][0])
		for _, group := range grids[i][1:] {
			s.left += min(len(group), surveyedPoints)
		}
	}
	s.planned = s.left
	found := map[*branch][][]scored{}
	for round := range most {
		for i, b := range s.branches {
			if round >= len(grids[i]) {
				continue
			}
			var group []scored
			points := grids[i][round]
			if round > 0 {
				points = likeliest(b, points, found[b][round-1])
			}
			for _, p := range points {
				score, err := s.try(b, p)
				if err != nil {
					return nil, err
				}
				s.left--
				group = append(group, scored{branch: b, point: p, score: score})
			}
			slices.SortStableFunc(group, better)
			found[b] = append(found[b], group)
		}
	}
	return found, nil
}

// likeliest returns the points of a solve whose scales were the best of another
// solve of the branch: what is good for one penalty is hardly bad for the next.
func likeliest(b *branch, points []point, other []scored) []point {
	var list []point
	for _, x := range other[:min(len(other), surveyedPoints)] {
		for _, p := range points {
			if b.scales(p) == b.scales(x.point) {
				list = append(list, p)
			}
		}
	}
	return list
}

// selection tries the best of the survey of each method with all dimensions and
// walks, and returns the best point of each branch, the best first. Scores of the
// survey do not compare between methods: few walks cost more than few dimensions.
func (s *search) selection(groups map[*branch][][]scored) ([]scored, error) {
	s.stage = Select
	var list []scored
	for rank := range selectedSolves {
		for _, solves := range s.byMethod(groups) {
			if rank < len(solves) {
				list = append(list, solves[rank][:min(len(solves[rank]), selectedPoints)]...)
			}
		}
	}
	s.left, s.planned = len(list), len(s.trials)+len(list)
	best := map[*branch]scored{}
	for _, x := range list {
		var err error
		if x.score, err = s.try(x.branch, x.point); err != nil {
			return nil, err
		}
		s.left--
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

// byMethod joins the solves of the branches of each method, the best first.
func (s *search) byMethod(groups map[*branch][][]scored) [][][]scored {
	var methods [][][]scored
	for i, b := range s.branches {
		if i == 0 || b.method.Name != s.branches[i-1].method.Name {
			methods = append(methods, nil)
		}
		last := len(methods) - 1
		methods[last] = append(methods[last], groups[b]...)
	}
	for _, solves := range methods {
		slices.SortStableFunc(solves, func(a, b []scored) int { return better(a[0], b[0]) })
	}
	return methods
}

// refine looks around a point: one step to either side on each axis, the cheap
// ones first, and from whatever is better again. Steps are halved when no axis
// helps any more.
func (s *search) refine(from scored) (scored, error) {
	b := from.branch
	order := make([]int, len(b.axes)) // of axes
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return compareBool(b.axes[i].solved, b.axes[j].solved)
	})
	share := 1.0
	for {
		moved, fine := false, true
		for _, i := range order {
			step := b.axes[i].step * share
			if step < b.axes[i].finest {
				continue
			}
			fine = false
			next, err := s.line(from, i, step)
			if err != nil {
				return from, err
			}
			if better(next, from) < 0 {
				from, moved = next, true
			}
		}
		if fine {
			return from, nil
		}
		if !moved {
			share /= 2
		}
	}
}

// line walks along one axis in the direction that helps, as long as it does, in
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
			if next.score, err = s.try(next.branch, next.point); err != nil {
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

// round keeps the values of parameters short: they are to be read and typed.
func round(x float64) float64 { return math.Round(x*1e5) / 1e5 }
