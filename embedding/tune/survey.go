package tune

import (
	"slices"

	"heavytail/storage/csr"
)

// lane is a method in the survey: its defaults, then the solves of the grids
// of its branches, one of each branch per round.
type lane struct {
	branches []*branch
	grids    [][][]point  // of each branch, by solve
	found    [][][]scored // points tried, the best point of each solve first
	started  bool         // the defaults were tried
	round    int
	turn     int     // the next branch of the round
	selected int     // the round after which the best is next selected
	spent    float64 // price of the trials so far
}

// behind is how many times the work of a method counts whose best in full is no contender.
const behind = 4

// lanes lists the methods, and counts their trials in the survey.
func (s *search) lanes() []*lane {
	var lanes []*lane
	for i, b := range s.branches {
		if i == 0 || b.method.Name != s.branches[i-1].method.Name {
			lanes = append(lanes, &lane{selected: firstSelection})
		}
		l := lanes[len(lanes)-1]
		grid := b.grid()
		l.branches, l.grids, l.found = append(l.branches, b), append(l.grids, grid), append(l.found, nil)
		s.left += len(grid[0])
		for _, group := range grid[1:] {
			s.left += min(len(group), surveyedPoints)
		}
		if b.home {
			s.missing++
		}
	}
	return lanes
}

// over reports whether the survey of a method is complete.
func (l *lane) over() bool {
	return l.started && !slices.ContainsFunc(l.grids, func(grid [][]point) bool { return l.round < len(grid) })
}

// price of the next step.
func (l *lane) price(g *csr.Graph) float64 { return l.branches[0].price(g, !l.started) }

// turnAt returns the amount of work on each other method after which the next step of this
// method is due.
func (l *lane) turnAt(g *csr.Graph) float64 {
	if !l.started {
		return -1 / (1 + l.price(g)) // before all surveys, the cheapest first
	}
	return l.spent + l.price(g)
}

// ranked lists the solves of all branches of the method, the best first.
func (l *lane) ranked() [][]scored {
	solves := slices.Concat(l.found...)
	slices.SortStableFunc(solves, func(a, b []scored) int { return better(a[0], b[0]) })
	return solves
}

// survey tries the defaults and the grids of all methods. The next method is
// the one with the least cost after its next step, so that all get the same
// fraction of the work and the cheap ones are surveyed before the expensive
// ones have cost much. Defaults come first, the cheapest before the others. At
// intervals and at the end of its survey the best of a method is tried in
// full, since only confirmed trials count when a limit ends the search.
func (s *search) survey(lanes []*lane) error {
	g := s.objective.Graph(Rough)
	for {
		var l *lane
		for _, other := range lanes {
			if !other.over() && (l == nil || other.turnAt(g) < l.turnAt(g)) {
				l = other
			}
		}
		if l == nil {
			return nil
		}
		l.spent += s.charge(l, g)
		if err := s.step(l, g); err != nil {
			return err
		}
	}
}

// step runs the next trials of a method.
func (s *search) step(l *lane, g *csr.Graph) error {
	if !l.started {
		l.started = true
		return s.defaults(l)
	}
	if err := s.surveySolve(l); err != nil {
		return err
	}
	if l.turn++; l.turn < len(l.branches) {
		return nil
	}
	l.turn = 0
	if l.round++; l.round < l.selected && !l.over() {
		return nil
	}
	l.selected = 2*l.selected + 1
	l.spent += l.branches[0].price(g, true)
	if _, err := s.selection([]*lane{l}, 1); err != nil {
		return err
	}
	return s.advance(l, g)
}

// charge returns what the next step of a method counts. A method whose best in full is not
// a contender has little to gain: its survey waits until the others have taken more.
func (s *search) charge(l *lane, g *csr.Graph) float64 {
	if best := l.best(); best.branch != nil && best.score < s.record && best.score < contender*s.record {
		return behind * l.price(g)
	}
	return l.price(g)
}

// advance makes one sweep of a refinement from the best point of a method, if this is the
// best of all methods so far: the survey of a whole grid of walks takes longer than most
// limits, and a step from the best point gains more than the next value of the grid.
func (s *search) advance(l *lane, g *csr.Graph) error {
	best := l.best()
	if best.branch == nil || !(best.score >= s.record) {
		return nil
	}
	before := len(s.trials)
	s.stage = Refine
	_, err := s.sweep(best, 1)
	for _, t := range s.trials[before:] {
		if t.Stage == Refine {
			l.spent += l.branches[0].price(g, true)
		}
	}
	return err
}

// best returns the best point of the method in full so far, if its branch is not nil.
func (l *lane) best() (best scored) {
	for _, b := range l.branches {
		if b.best.branch != nil && (best.branch == nil || better(b.best, best) < 0) {
			best = b.best
		}
	}
	return best
}

// defaults tries the defaults of a method exactly, before its other trials:
// the results of a search are compared with them.
func (s *search) defaults(l *lane) error {
	at := slices.IndexFunc(l.branches, func(b *branch) bool { return b.home })
	if at < 0 {
		return nil
	}
	s.stage = Defaults
	b := l.branches[at]
	if _, err := s.try(b, b.standard(), Exact); err != nil {
		return err
	}
	s.missing--
	if s.objective.CloseIs() == Apart { // it needs another embedding, which can wait
		return nil
	}
	_, err := s.tryClosely(b, b.standard())
	return err
}

// surveySolve tries a solve of a branch roughly. For all solves but the first
// it tries only the scales that were best before.
func (s *search) surveySolve(l *lane) error {
	grid := l.grids[l.turn]
	if l.round >= len(grid) {
		return nil
	}
	s.stage = Survey
	b, points := l.branches[l.turn], grid[l.round]
	if l.round > 0 {
		points = likeliest(b, points, l.found[l.turn][l.round-1])
	}
	var group []scored
	for _, p := range points {
		score, err := s.try(b, p, Rough)
		if err != nil {
			return err
		}
		s.left--
		group = append(group, scored{branch: b, point: p, score: score})
	}
	slices.SortStableFunc(group, better)
	l.found[l.turn] = append(l.found[l.turn], group)
	return nil
}

// likeliest returns the points of a solve whose scales were the best of
// another solve of the branch: scales that are good for one penalty are rarely
// bad for the next.
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
