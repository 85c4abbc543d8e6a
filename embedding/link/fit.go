package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"heavytail/storage/vec"
)

// ridge is the factor of half the squared weights of standardised columns.
const ridge = 1e-3

// leastLinks is the smallest number of links that a model is fitted to.
const leastLinks = 10

// Fit fits a model to the pairs of several splits of a graph, pooled. Every scorer of a neighbourhood
// without an upper bound enters with its value and with ln(1 + value/median), all standardised. Half
// of the loss is that of a logistic regression of links and random pairs, which
// count the same together; the other half is that of a conditional logit model (McFadden,
// "Conditional logit analysis of qualitative choice behavior", 1974), in which the source of each
// hidden link chooses it among all vertices: a pair with any vertex represents n/10 of them, and one with
// a likely vertex a tenth of the 100 likeliest, times Terms.Likely. The choice of a source of
// degree d counts 1/√(1+d), between equal weights of links and of sources. Half of 1e-3 times the squared
// weights is added. No term is chosen: all have a weight. The minimum is unique, and Newton's method
// finds it.
//
// The log-odds are not calibrated: see
// [Model.Calibrated]. The same rows give the same model at any number of workers. Errors are
// those of Terms.Validate, ErrTooFew, ErrNeedsTimes and that of ctx.
func Fit(ctx context.Context, rows []*Rows, terms Terms, workers int) (*Model, error) {
	if err := terms.Validate(); err != nil {
		return nil, err
	}
	links := 0
	for _, r := range rows {
		links += r.links
	}
	if links < leastLinks {
		return nil, fmt.Errorf("links to learn from: %d, and at least %d are needed: %w", links, leastLinks, ErrTooFew)
	}
	p, err := newProblem(rows, terms)
	if err != nil {
		return nil, err
	}
	w, err := p.minimise(ctx, workers)
	if err != nil {
		return nil, err
	}
	return p.model(w), nil
}

// input is one standardised column: a function of a column of pairs.
type input struct {
	column int
	log    bool
	unit   float64
	mean   float64
	scale  float64 // 1/standard deviation; 0 for a constant
}

func (in input) at(x float64) float64 {
	if in.log {
		x = math.Log1p(x / in.unit)
	}
	return (x - in.mean) * in.scale
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// problem has the standardised inputs of all pairs.
type problem struct {
	rows   []*Rows
	inputs []input
	width  int // inputs and the bias
	links  int // of all rows
	random int
	half   float64 // weight of the logistic regression: ½, or 1 if it is all
	likely float64 // Terms.Likely
	all    float64 // sum of the weights of choices
	x      []*mat.Dense
}

// columnIn returns the number of a column in some rows.
func (r *Rows) columnIn(c column) int {
	return slices.IndexFunc(r.columns, func(o column) bool { return o.name == c.name && o.of == c.of })
}

func newProblem(rows []*Rows, terms Terms) (*problem, error) {
	p := &problem{rows: rows, half: 0.5, likely: cmp.Or(terms.Likely, 1)}
	if terms.PairsOnly {
		p.half = 1
	}
	for _, r := range rows {
		p.links, p.random = p.links+r.links, p.random+r.random
		for i := range r.links {
			p.all += choice(r, i)
		}
	}
	// Edges before the first time may have none, so splits can lack columns that need times.
	columns := rows[0].columns
	for _, r := range rows {
		if len(r.columns) < len(columns) {
			columns = r.columns
		}
	}
	if slices.ContainsFunc(terms.Scorers, NeedsTimes) && !needsTimes(columns) {
		return nil, fmt.Errorf("%s: %w", recentNeighbors, ErrNeedsTimes)
	}
	for _, r := range rows {
		if len(r.columns) > len(columns) {
			r.keep(columns)
		}
	}
	for k, c := range columns {
		if !terms.takes(c) {
			continue
		}
		if c.shape != degree {
			p.inputs = append(p.inputs, input{column: k})
		}
		switch c.shape {
		case heavy:
			p.inputs = append(p.inputs, input{column: k, log: true, unit: positiveMedian(rows, k)})
		case degree:
			p.inputs = append(p.inputs, input{column: k, log: true, unit: 1})
		}
	}
	p.width = len(p.inputs) + 1
	for j := range p.inputs {
		p.standardise(&p.inputs[j])
	}
	for _, r := range rows {
		p.x = append(p.x, p.standard(r))
	}
	return p, nil
}

// keep drops the columns that are not in a list.
func (r *Rows) keep(columns []column) {
	count := len(r.x) / len(r.columns)
	x := make([]float64, 0, count*len(columns))
	for i := range count {
		row := r.x[i*len(r.columns) : (i+1)*len(r.columns)]
		for _, c := range columns {
			x = append(x, row[r.columnIn(c)])
		}
	}
	r.x, r.columns = x, columns
}

// standardise sets mean and deviation of links and random pairs, which count the same together.
func (p *problem) standardise(in *input) {
	in.scale = 1
	sum, square := 0.0, 0.0
	for _, r := range p.rows {
		for i := range r.links + r.random {
			x := in.at(r.x[i*len(r.columns)+in.column])
			w := p.weight(r, i)
			sum, square = sum+w*x, square+w*x*x
		}
	}
	in.mean = sum
	if variance := square - sum*sum; variance > 1e-12*square {
		in.scale = 1 / math.Sqrt(variance)
	} else {
		in.scale = 0
	}
}

// weight is that of a link or a random pair: all weights add up to 1, half for the links.
func (p *problem) weight(r *Rows, i int) float64 {
	if i < r.links {
		return 0.5 / float64(p.links)
	}
	return 0.5 / float64(p.random)
}

// choice is the weight of the choice of a link by its source, in proportion to others. With 1 for each link the
// sources with many links decide, and the lists of others are worse: a fifth of the edges hidden, MAP with 1,
// 1/√(1+d) and 1/(1+d) for the source's degree d, ego-facebook .479, .484, .487; authors of papers with up to 40
// others .820, .836, .844 and .746, .751, .750; cora .230, .231, .232; ca-GrQc .528, .531, .531; CollegeMsg .089 with
// all. 1/(1+d) takes .005 of the AUC on ca-GrQc and .001 of the MAP on preferential attachment.
func choice(r *Rows, i int) float64 { return 1 / math.Sqrt(float64(1+r.degrees[i])) }

// represents is the number of vertices that a row behind the random pairs counts for.
func (p *problem) represents(r *Rows, i int) float64 {
	if r.likely[i] {
		return r.weight[i] * p.likely
	}
	return r.weight[i]
}

// standard returns the inputs of rows, with a last column of 1.
func (p *problem) standard(r *Rows) *mat.Dense {
	count := len(r.x) / len(r.columns)
	x := mat.NewDense(count, p.width, nil)
	for i := range count {
		row, from := x.RawRowView(i), r.x[i*len(r.columns):]
		for j, in := range p.inputs {
			if y := in.at(from[in.column]); finite(y) {
				row[j] = y
			}
		}
		row[p.width-1] = 1
	}
	return x
}

// minimise returns the weights, the bias last.
func (p *problem) minimise(ctx context.Context, workers int) (*mat.VecDense, error) {
	w := mat.NewVecDense(p.width, nil)
	now := p.loss(w, workers, false)
	for range 50 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := p.loss(w, workers, true)
		var factor mat.Cholesky
		step := mat.NewVecDense(p.width, nil)
		if !factor.Factorize(at.hessian) || factor.SolveVecTo(step, at.gradient) != nil {
			break
		}
		before := now.value
		for range 20 { // halved until it improves
			next := mat.NewVecDense(p.width, nil)
			next.SubVec(w, step)
			if loss := p.loss(next, workers, false); loss.value < now.value {
				w, now = next, loss
				break
			}
			step.ScaleVec(0.5, step)
		}
		if before-now.value <= 1e-9*before {
			break
		}
	}
	return w, ctx.Err()
}

// lossAt is the objective at some weights, with its derivatives where they are wanted.
type lossAt struct {
	value    float64
	gradient *mat.VecDense
	hessian  *mat.SymDense
}

func newLoss(width int, derivatives bool) lossAt {
	l := lossAt{}
	if derivatives {
		l.gradient, l.hessian = mat.NewVecDense(width, nil), mat.NewSymDense(width, nil)
	}
	return l
}

func (l *lossAt) add(o lossAt) {
	l.value += o.value
	if l.gradient != nil {
		l.gradient.AddVec(l.gradient, o.gradient)
		l.hessian.AddSym(l.hessian, o.hessian)
	}
}

func (p *problem) loss(w *mat.VecDense, workers int, derivatives bool) lossAt {
	total := newLoss(p.width, derivatives)
	for j := range p.width - 1 {
		x := w.AtVec(j)
		total.value += ridge / 2 * x * x
		if derivatives {
			total.gradient.SetVec(j, ridge*x)
			total.hessian.SetSym(j, j, ridge)
		}
	}
	if derivatives { // constant inputs and the bias of the conditional part have no curvature
		for j := range p.width {
			total.hessian.SetSym(j, j, total.hessian.At(j, j)+1e-12)
		}
	}
	for k, r := range p.rows {
		const block = 512
		pairs := r.links + r.random
		blocks := (pairs + block - 1) / block
		const group = 32
		groups := (r.links + group - 1) / group
		if p.half == 1 {
			groups = 0
		}
		parts := make([]lossAt, blocks+groups)
		vec.Parallel(blocks+groups, 1, workers, func(i, _, _ int) {
			parts[i] = newLoss(p.width, derivatives)
			if i < blocks {
				p.logistic(&parts[i], k, w, i*block, min(pairs, (i+1)*block))
			} else {
				p.conditional(&parts[i], k, w, (i-blocks)*group, min(r.links, (i-blocks+1)*group))
			}
		})
		for _, part := range parts {
			total.add(part)
		}
	}
	return total
}

// logistic adds half the loss of links and random pairs, those from lo to below hi.
func (p *problem) logistic(l *lossAt, k int, w *mat.VecDense, lo, hi int) {
	r := p.rows[k]
	x := p.x[k].Slice(lo, hi, 0, p.width)
	var scores mat.VecDense
	scores.MulVec(x, w)
	var roots []float64
	slopes := mat.NewVecDense(hi-lo, nil)
	for i := lo; i < hi; i++ {
		z, sign, weight := scores.AtVec(i-lo), 1.0, p.half*p.weight(r, i)
		if i < r.links {
			sign = -1
		}
		l.value += weight * (max(sign*z, 0) + math.Log1p(math.Exp(-math.Abs(z))))
		if l.gradient != nil {
			q := 1 / (1 + math.Exp(-sign*z)) // probability of the wrong class
			slopes.SetVec(i-lo, weight*sign*q)
			roots = append(roots, math.Sqrt(weight*q*(1-q)))
		}
	}
	if l.gradient != nil {
		var gradient mat.VecDense
		gradient.MulVec(x.T(), slopes)
		l.gradient.AddVec(l.gradient, &gradient)
		l.outer(x, roots, 1)
	}
}

// outer adds sign times the sum of the outer products of rows times roots.
func (l *lossAt) outer(x mat.Matrix, roots []float64, sign float64) {
	rows := mat.DenseCopyOf(x)
	for i, root := range roots {
		floats.Scale(root, rows.RawRowView(i))
	}
	l.hessian.SymRankK(l.hessian, sign, rows.T())
}

// conditional adds half the loss of the choices of sources, those from lo to below hi.
func (p *problem) conditional(l *lossAt, k int, w *mat.VecDense, lo, hi int) {
	r := p.rows[k]
	each := func(i int) float64 { return (1 - p.half) * choice(r, i) / p.all }
	var all *mat.Dense // of the gradient and the second derivatives
	var roots []float64
	var means *mat.Dense
	if l.gradient != nil {
		count := r.others[hi] - r.others[lo] + hi - lo
		all, means = mat.NewDense(count, p.width, nil), mat.NewDense(hi-lo, p.width, nil)
	}
	at := 0
	for i := lo; i < hi; i++ {
		from, to := r.others[i], r.others[i+1]
		link := p.x[k].RawRowView(i)
		scores := []float64{floats.Dot(link, w.RawVector().Data)}
		top := scores[0]
		for j := from; j < to; j++ {
			z := floats.Dot(p.x[k].RawRowView(j), w.RawVector().Data) + math.Log(p.represents(r, j-r.links-r.random))
			scores, top = append(scores, z), max(top, z)
		}
		sum := 0.0
		for _, z := range scores {
			sum += math.Exp(z - top)
		}
		l.value += each(i) * (top + math.Log(sum) - scores[0])
		if l.gradient == nil {
			continue
		}
		mean := means.RawRowView(i - lo)
		for j, z := range scores {
			q := math.Exp(z-top) / sum
			row := link
			if j > 0 {
				row = p.x[k].RawRowView(from + j - 1)
			}
			floats.AddScaled(mean, q, row)
			copy(all.RawRowView(at), row)
			roots = append(roots, math.Sqrt(each(i)*q))
			at++
		}
		for c, m := range mean {
			l.gradient.SetVec(c, l.gradient.AtVec(c)+each(i)*(m-link[c]))
		}
	}
	if l.gradient != nil {
		l.outer(all, roots, 1)
		same := make([]float64, hi-lo)
		for i := range same {
			same[i] = math.Sqrt(each(lo + i))
		}
		l.outer(means, same, -1)
	}
}

// model converts weights of standardised inputs.
func (p *problem) model(w *mat.VecDense) *Model {
	m := &Model{embeddings: p.rows[0].embeddings, bias: w.AtVec(p.width - 1)}
	columns := p.rows[0].columns
	reads := false
	for j, in := range p.inputs {
		if last := len(m.terms) - 1; last < 0 || m.terms[last].column != columns[in.column] {
			m.terms = append(m.terms, term{column: columns[in.column], unit: 1})
		}
		t := &m.terms[len(m.terms)-1]
		weight := w.AtVec(j) * in.scale
		t.offset += weight * in.mean
		if in.log {
			t.log, t.unit = weight, in.unit
		} else {
			t.raw = weight
		}
		reads = reads || t.of >= 0
	}
	if !reads {
		m.embeddings = 0
	}
	return m
}
