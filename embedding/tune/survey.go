package tune

import "slices"

// lane is a method: its defaults, then a climb from them if it learns from walks, then the
// solves of the grids of its branches, one of each branch per round.
type lane struct {
	branches    []*branch
	grids       [][][]point  // of each branch, by solve
	found       [][][]scored // points tried, the best point of each solve first
	rough, full float64      // prices of a trial
	started     bool         // the defaults were tried
	climb       climb
	round       int
	turn        int     // the next branch of the round
	selected    int     // the round after which the best is next selected
	spent       float64 // work after the defaults, weighed by how promising the method was
}

// climb is a search around the best point of a method that learns from walks, by trials in
// full, since its survey misleads.
type climb struct {
	share float64 // of the first steps of the axes; 0 before and after the climb
	axis  int     // the next one
	moved bool    // a step helped since the last full turn
}

// How many times the work of a method counts: its best in full is no contender, or is the best
// of all.
const (
	behind  = 4
	leading = 0.5
)

// lanes lists the methods, and counts their trials in the survey.
func (p *planner) lanes() []*lane {
	var lanes []*lane
	g := p.objective.Graph(Rough)
	for i, b := range p.branches {
		if i == 0 || b.method.Name != p.branches[i-1].method.Name {
			lanes = append(lanes, &lane{selected: firstSelection, rough: b.price(g, b.grid()[0][0], false), full: b.price(g, b.standard(), true)})
		}
		l := lanes[len(lanes)-1]
		grid := b.grid()
		l.branches, l.grids, l.found = append(l.branches, b), append(l.grids, grid), append(l.found, nil)
		p.left += len(grid[0])
		for _, group := range grid[1:] {
			p.left += min(len(group), surveyedPoints)
		}
		if b.home {
			p.missing++
		}
	}
	return lanes
}

// over reports whether a method has no more steps.
func (l *lane) over() bool {
	return l.started && l.climb.share == 0 && !slices.ContainsFunc(l.grids, func(grid [][]point) bool { return l.round < len(grid) })
}

func (p *planner) nextPrice(l *lane) float64 {
	switch best := p.bestOf(l); {
	case l.started && l.climb.share == 0:
		return l.rough
	case best.branch != nil:
		b, c := best.branch, l.climb
		at := b.moved(best.point, c.axis, b.axes[c.axis].directions()[0]*b.axes[c.axis].step*c.share)
		return b.price(p.objective.Graph(Close), at, true)
	}
	return l.full
}

// turnAt returns the amount of work on each other method after which the next step of this
// method is due.
func (p *planner) turnAt(l *lane) float64 {
	if !l.started {
		return -1 / (1 + l.full) // before all other steps, the cheapest first
	}
	return l.spent + p.weight(l)*p.nextPrice(l)
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
func (p *planner) survey(lanes []*lane) error {
	for {
		var l *lane
		for _, other := range lanes {
			if !other.over() && (l == nil || p.turnAt(other) < p.turnAt(l)) {
				l = other
			}
		}
		if l == nil {
			return nil
		}
		before, weight, started := p.work, p.weight(l), l.started
		if err := p.step(l); err != nil {
			return err
		}
		if started {
			l.spent += weight * (p.work - before)
		}
	}
}

// step runs the next trials of a method.
func (p *planner) step(l *lane) error {
	switch {
	case !l.started:
		l.started = true
		return p.defaults(l)
	case l.climb.share > 0:
		return p.climb(l)
	}
	if err := p.surveySolve(l); err != nil {
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
	before := p.bestOf(l)
	if _, err := p.selection([]*lane{l}, 1); err != nil {
		return err
	}
	if l.climbs() {
		if p.bestOf(l).point != before.point {
			l.climb = climb{share: 1}
		}
		return nil
	}
	return p.advance(l)
}

// weight returns how many times the work of a method counts. A method whose best in full is
// not a contender has little to gain: it waits until the others have taken more. The best of
// all gains most.
func (p *planner) weight(l *lane) float64 {
	switch best := p.bestOf(l); {
	case l.spent == 0 || best.branch != nil && best.score >= p.leader.score:
		return leading
	case best.branch == nil:
		return 1
	case best.score < contender*p.leader.score:
		return behind
	}
	return 1
}

// advance makes one sweep of a refinement from the best point of a method, if this is the
// best of all methods so far: a step from the best point gains more than the next value of
// the grid.
func (p *planner) advance(l *lane) error {
	best := p.bestOf(l)
	if best.branch == nil || !(best.score >= p.leader.score) {
		return nil
	}
	p.stage = Refine
	_, err := p.sweep(best, 1)
	return err
}

// climbs reports whether a method climbs from its defaults before its survey.
func (l *lane) climbs() bool {
	m := l.branches[0].method
	return !m.spectral() && m.Placing == nil && len(l.branches[0].axes) > 0
}

// climb follows the next axis from the best point of a method. When no axis helps any more
// at a fraction of the first steps, it halves this fraction, until all steps are too fine.
func (p *planner) climb(l *lane) error {
	p.stage = Refine
	b, c := l.branches[0], &l.climb
	from := p.bestOf(l)
	if from.branch == nil { // the defaults, whose close judgement could wait
		if _, err := p.tryClosely(b, b.standard()); err != nil {
			return err
		}
		if from = p.bestOf(l); from.branch == nil {
			return nil
		}
	}
	if step := b.axes[c.axis].step * c.share; step >= b.axes[c.axis].finest {
		next, err := p.line(from, c.axis, step)
		if err != nil {
			return err
		}
		c.moved = c.moved || better(next, from) < 0
	}
	if c.axis++; c.axis < len(b.axes) {
		return nil
	}
	if !c.moved {
		c.share /= 2
	}
	c.axis, c.moved = 0, false
	if !b.steps(c.share) {
		c.share = 0
	}
	return nil
}

// bestOf returns the best point of the method in full so far, if its branch is not nil.
func (p *planner) bestOf(l *lane) (best scored) {
	for _, b := range l.branches {
		if x, there := p.best[b]; there && (best.branch == nil || better(x, best) < 0) {
			best = x
		}
	}
	return best
}

// defaults tries the defaults of a method exactly, before its other trials:
// the results of a search are compared with them.
func (p *planner) defaults(l *lane) error {
	at := slices.IndexFunc(l.branches, func(b *branch) bool { return b.home })
	if at < 0 {
		return nil
	}
	p.stage = Defaults
	b := l.branches[at]
	if l.climbs() {
		l.climb.share = 1
	}
	if _, err := p.try(b, b.standard(), Exact); err != nil {
		return err
	}
	p.missing--
	if p.objective.CloseIs() == Apart { // it needs another embedding, which can wait
		return nil
	}
	_, err := p.tryClosely(b, b.standard())
	return err
}

// surveySolve tries a solve of a branch roughly. For all solves but the first
// it tries only the scales that were best before.
func (p *planner) surveySolve(l *lane) error {
	grid := l.grids[l.turn]
	if l.round >= len(grid) {
		return nil
	}
	p.stage = Survey
	b, points := l.branches[l.turn], grid[l.round]
	if l.round > 0 {
		points = likeliest(b, points, l.found[l.turn][l.round-1])
	}
	var group []scored
	for _, at := range points {
		score, err := p.try(b, at, Rough)
		if err != nil {
			return err
		}
		p.left--
		group = append(group, scored{branch: b, point: at, score: score})
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
