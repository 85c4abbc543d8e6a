package tune

import (
	"cmp"
	"math"
	"slices"
)

// This file has the stages of a search.

// How many of the survey go on. Solves are dear and scales are cheap, so that of
// each solve several scales do.
const (
	surveyedPoints = 5 // of each solve of the survey after the first of a branch
	promotedSolves = 3
	promotedPoints = 4 // of each solve
	// contender is the share of the best score that another branch must have in
	// full to be refined too.
	contender = 0.97
)

// scored is a point with what it scored.
type scored struct {
	branch *branch
	point  point
	score  float64
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
	best, err := s.promote(groups)
	if err != nil {
		return err
	}
	s.stage = Refine
	for i, b := range best {
		if i > 0 && b.score < contender*best[0].score {
			break
		}
		refined, err := s.refine(b)
		if err != nil {
			return err
		}
		best[0] = max2(best[0], refined)
	}
	return nil
}

// max2 returns the better of two, of equal ones the first.
func max2(a, b scored) scored {
	if better(b, a) < 0 {
		return b
	}
	return a
}

// survey tries the grid of every branch, a solve of each in turn, and returns the
// points of each branch by solve, the best point and the best solve first. Of all
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
				group = append(group, scored{b, p, score})
			}
			slices.SortStableFunc(group, better)
			found[b] = append(found[b], group)
		}
	}
	for _, groups := range found {
		slices.SortStableFunc(groups, func(a, b []scored) int { return better(a[0], b[0]) })
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

// promote tries the best of the survey at the full price and returns the best
// point of each branch, the best first.
func (s *search) promote(groups map[*branch][][]scored) ([]scored, error) {
	s.stage = Full
	var list []scored
	for rank := range promotedSolves {
		for _, b := range s.branches {
			if rank < len(groups[b]) {
				group := groups[b][rank]
				list = append(list, group[:min(len(group), promotedPoints)]...)
			}
		}
	}
	s.left = len(list)
	s.planned = len(s.trials) + len(list)
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
		order = append(order, best[b])
	}
	slices.SortStableFunc(order, better)
	return order, nil
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
		return cmp.Compare(boolInt(b.axes[i].solved), boolInt(b.axes[j].solved))
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

// line walks along one axis in the direction that helps, as long as it does.
func (s *search) line(from scored, axis int, step float64) (scored, error) {
	best := from
	for _, direction := range []float64{1, -1} {
		for {
			next := best
			a := from.branch.axes[axis]
			next.point[axis] = round(min(a.most, max(a.least, best.point[axis]+direction*step)))
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
		if best != from {
			break
		}
	}
	return best, nil
}

// round keeps the values of parameters short: they are to be read and typed.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
