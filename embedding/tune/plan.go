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

// planner decides which trial comes next. It depends on nothing but scores, so that it can be
// replayed.
type planner struct {
	branches  []*branch
	objective Objective                      // of which it uses the graphs and the closeness
	ask       func(request) (float64, error) // runs a trial and returns its score

	asked   []key              // in this order
	scores  map[key]float64    // of them
	solved  map[key]bool       // solves and trainings of them, in full under Close
	best    map[*branch]scored // the best close judgements
	leader  scored             // the best of them all
	stage   Stage
	left    int     // trials of the survey
	missing int     // number of methods whose defaults were not tried
	work    float64 // price of the trials
}

// key identifies a trial: a point of a branch at a price.
type key struct {
	branch *branch
	effort Effort
	point  point
}

// request is a trial that a planner asks for.
type request struct {
	key
	stage Stage
}

func (p *planner) run() error {
	lanes := p.lanes()
	if err := p.survey(lanes); err != nil {
		return err
	}
	best, err := p.contenders(lanes)
	if err != nil {
		return err
	}
	p.stage = Refine
	most := value(best[0].score)
	for i, b := range best {
		if i > 0 && !(b.score >= contender*most) {
			break
		}
		refined, err := p.refine(b)
		if err != nil {
			return err
		}
		most = max(most, value(refined.score))
	}
	return p.finish()
}

// finish judges exactly the best points that have only estimates. If a close
// judgement is not an estimate, there is nothing to do: the exact judgement is
// reserved for points chosen by close ones, and the best of more exact
// judgements would be the best by chance.
func (p *planner) finish() error {
	p.stage = Confirm
	if p.objective.CloseIs() != Estimate {
		return nil
	}
	var list []scored
	for _, k := range p.asked {
		if k.effort == Close {
			list = append(list, scored{k.branch, k.point, p.scores[k]})
		}
	}
	slices.SortStableFunc(list, better)
	for _, x := range list[:min(len(list), confirmedPoints)] {
		if err := p.confirm(x.branch, x.point); err != nil {
			return err
		}
	}
	return nil
}

// contenders selects the best of the survey, and returns the best point of each
// branch, defaults among them, the best first.
func (p *planner) contenders(lanes []*lane) ([]scored, error) {
	list, err := p.selection(lanes, selectedSolves)
	if err != nil {
		return nil, err
	}
	for _, b := range p.branches {
		if !b.home {
			continue
		}
		x := scored{branch: b, point: b.standard()}
		if x.score, err = p.tryClosely(b, x.point); err != nil {
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
	for _, b := range p.branches {
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
func (p *planner) selection(lanes []*lane, solves int) ([]scored, error) {
	p.stage = Select
	var list []scored
	for rank := range solves {
		for _, l := range lanes {
			if ranked := l.ranked(); rank < len(ranked) {
				list = append(list, ranked[rank][:min(len(ranked[rank]), selectedPoints)]...)
			}
		}
	}
	for i, x := range list {
		x.point = p.lengthened(x)
		var err error
		if x.score, err = p.tryClosely(x.branch, x.point); err != nil {
			return nil, err
		}
		list[i] = x
	}
	return list, nil
}

// lengthened returns a point of the survey, which leaves the length of the training out, with
// the length of the best point so far.
func (p *planner) lengthened(x scored) point {
	if best, there := p.best[x.branch]; there {
		for i, a := range x.branch.axes {
			if a.length {
				x.point[i] = best.point[i]
			}
		}
	}
	return x.point
}

// refine searches around a point in sweeps. Steps are halved when no axis helps any more.
func (p *planner) refine(from scored) (scored, error) {
	for share := 1.0; from.branch.steps(share); {
		next, err := p.sweep(from, share)
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
func (p *planner) sweep(from scored, share float64) (scored, error) {
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
		next, err := p.line(from, i, step)
		if err != nil {
			return from, err
		}
		if better(next, from) < 0 {
			from = next
		}
	}
	return from, nil
}

// line follows one axis in the direction that helps, as long as it does. Steps double, of
// geometric axes the values do: the best may be far beyond the grid.
func (p *planner) line(from scored, axis int, step float64) (scored, error) {
	best := from
	for _, direction := range from.branch.axes[axis].directions() {
		for length := direction * step; ; {
			next := best
			next.point = from.branch.moved(best.point, axis, length)
			if next.point[axis] == best.point[axis] {
				break
			}
			var err error
			if next.score, err = p.tryClosely(next.branch, next.point); err != nil {
				return best, err
			}
			if better(next, best) >= 0 {
				break
			}
			best = next
			if !from.branch.axes[axis].geometric {
				length *= 2
			}
		}
		if best.point != from.point {
			break
		}
	}
	return best, nil
}

// try runs a trial, unless it was run before, and returns its score.
func (p *planner) try(b *branch, at point, effort Effort) (float64, error) {
	if effort == Close && p.objective.CloseIs() == Same {
		effort = Exact
	}
	k := key{b, effort, at}
	if score, there := p.scores[k]; there {
		return score, nil
	}
	score, err := p.ask(request{k, p.stage})
	if err != nil {
		return math.NaN(), err
	}
	p.scores[k] = score
	p.asked = append(p.asked, k)
	p.work += p.price(k)
	return score, nil
}

// price returns the approximate time of a trial that was just asked for. The first one that
// needs a solve or a training pays for it.
func (p *planner) price(k key) float64 {
	g := p.objective.Graph(k.effort)
	price := judging(g, k.effort)
	solve := key{k.branch, min(k.effort, Close), k.branch.solve(k.point)}
	if !p.solved[solve] {
		p.solved[solve] = true
		price += k.branch.price(g, k.point, k.effort != Rough)
	}
	return price
}

// tryClosely runs a trial at the full price, and confirms it if it is better
// than all before it, or as good after a shorter training. It returns the close score.
func (p *planner) tryClosely(b *branch, at point) (float64, error) {
	score, err := p.try(b, at, Close)
	x := scored{branch: b, point: at, score: score}
	if old, there := p.best[b]; err == nil && (!there || better(x, old) < 0) {
		p.best[b] = x
	}
	if err != nil || math.IsNaN(score) || p.leader.branch != nil && better(x, p.leader) >= 0 {
		return score, err
	}
	p.leader = x
	return score, p.confirm(b, at)
}

func (p *planner) confirm(b *branch, at point) error {
	stage := p.stage
	p.stage = Confirm
	if _, err := p.try(b, at, Exact); err != nil {
		return err
	}
	p.stage = stage
	return nil
}

type scored struct {
	branch *branch
	point  point
	score  float64
}

// better orders by descending score, and equal ones by the length of the training, the
// shortest first. It is used with stable sorts only.
func better(a, b scored) int {
	return cmp.Or(
		cmp.Compare(value(b.score), value(a.score)),
		cmp.Compare(a.branch.length(a.point), b.branch.length(b.point)),
	)
}
