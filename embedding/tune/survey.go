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

// defaultsWait is the fraction of the price of a method's defaults that other
// methods may spend before these defaults are tried: enough to survey a cheap
// method before an expensive one has taken all of a short time, and not so
// much that the defaults come late.
const defaultsWait = 0.25

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
		return defaultsWait * l.price(g)
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
// ones have cost much. Defaults come earlier. At intervals the best of a
// method so far is tried in full, since only confirmed trials count when a
// limit ends the search.
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
		l.spent += l.price(g)
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
	if l.round++; l.round < l.selected {
		return nil
	}
	l.selected = 2*l.selected + 1
	l.spent += l.branches[0].price(g, true)
	_, err := s.selection([]*lane{l}, 1)
	return err
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
