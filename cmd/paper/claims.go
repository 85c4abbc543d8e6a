package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// This file compares figures with those of the paper and writes the page.

// near is the largest difference of a figure that counts as the same: walks, starts and
// samples are random, and the paper does not give all options.
const near = 0.1

// compared is a figure of the paper with ours.
type compared struct {
	name        string
	paper, ours float64
}

// verdict compares figures with those of the paper: all of them must be near for
// "reproduced", and the first one for "reproduced, but". Higher figures are no failure of a
// method that the paper proposes, but of a baseline that it surpasses.
func verdict(baseline bool, list ...compared) string {
	var off []string
	above := true
	for _, c := range list {
		switch d := c.ours - c.paper; {
		case math.IsNaN(c.ours):
			return "not measured"
		case math.IsNaN(c.paper):
			return ""
		case math.Abs(d) > near:
			off = append(off, c.name+" "+signed(d))
			above = above && d > 0
		}
	}
	switch {
	case off == nil:
		return "reproduced"
	case math.Abs(list[0].ours-list[0].paper) <= near:
		return "reproduced, but " + strings.Join(off, ", ")
	case above && !baseline:
		return "reproduced, and higher: " + strings.Join(off, ", ")
	}
	return "not reproduced: " + strings.Join(off, ", ")
}

func isBaseline(method string) bool { return method == le || method == deepWalk }

// reproduceReport writes the page.
func reproduceReport(e *experiment) string {
	var text strings.Builder
	text.WriteString("# The paper, claim by claim\n")
	writeTable(&text, "Claims", e.present(), []string{"claim", "the paper", "ours", "verdict"}, e.claims())
	writeTable(&text, "Table 2: degrees of reconstructions",
		"Figures of the paper and ours are Pearson / Spearman / Kendall, at the ε of the paper's grid with the highest Pearson. The null has the lengths of our vectors in random directions, at its best ε. F1 is of the edges at our ε, and H3 the harmonic mean of Pearson, Spearman and F1.",
		[]string{"graph", "method", "the paper", "ours", "made with", "null", "F1, H3", "verdict"}, e.reconstructions())
	writeTable(&text, "Table 3: links",
		"Precision / recall / F1 of a linear regression on the difference of two vectors, for pairs of the graph that was embedded. The sign of the difference depends on the order of the two vertices: in ascending order of their numbers the regression learns how the file numbers them, and in random order it cannot. The null is F1 in ascending order on a graph with the same degrees and numbers.",
		[]string{"graph", "method", "the paper", "ascending", "random order", "null", "verdict"}, e.links())
	writeTable(&text, "Table 4: classes",
		"Mean and deviation of the accuracy on the seven largest research areas; half of the vertices are learned from. The null has the same labels, shuffled among the vertices.",
		[]string{"graph", "method", "the paper", "ours", "null", "verdict"}, e.classes())
	for _, d := range e.graphs {
		e.writeStudies(&text, d)
	}
	writeTable(&text, "The packing theorem on real hubs",
		"Vertices next to the largest hub that are not linked to each other lie within ε of it and farther than ε apart. Dimensions by the paper are those in which its bounds allow and guarantee room for as many; proven are bounds that hold in every dimension (HELP DESCRIBE GRAPH).",
		[]string{"graph", "not linked next to the hub", "dimensions by the paper", "proven"}, e.hubs())
	writeTable(&text, "What methods reach in heavytail",
		"Methods with their defaults, at the radius with the highest H3; unit_ball at radius 1, in 128 dimensions. deepwalk and dp_walker have the same training and scaling, so that the penalty is their only difference; dp_spectral chooses its penalty and row scale by measuring, and laplacian_eigenmaps has ½. AUC is of a hidden fifth of the edges, by the best of distance, cosine and dot product, against random pairs and against pairs drawn by degree, with that on a null graph.",
		[]string{"graph", "method", "P / S", "F1", "H3, null", "AUC random", "AUC degree, null", "processor s"}, e.reach())
	return text.String()
}

// present names the graphs of the run, and those of the paper that it has not, and what it took.
func (e *experiment) present() string {
	var with, without []string
	for _, d := range ofPaper(datasets()) {
		if slices.ContainsFunc(e.graphs, func(of dataset) bool { return of.name == d.name }) {
			with = append(with, fmt.Sprintf("%s (%s)", d.name, d.note))
		} else {
			without = append(without, d.name)
		}
	}
	without = append(without, private+", a network of calls that is private")
	seconds, processor := e.journal.took()
	return fmt.Sprintf("Graphs of this run: %s. Not in it: %s. Its steps took %.0f processor seconds, and %.0f seconds by the clock of a machine that may have done other work.",
		strings.Join(with, "; "), strings.Join(without, ", "), processor, seconds)
}

// claims returns the claims that the paper makes in its text.
func (e *experiment) claims() (lines [][]string) {
	add := func(claim, paper, ours, verdict string) {
		if ours != "" {
			lines = append(lines, []string{claim, paper, ours, verdict})
		}
	}
	holds := func(is bool) string {
		if is {
			return "reproduced"
		}
		return "not reproduced"
	}
	room := new(big.Int).Div(new(big.Int).Exp(big.NewInt(3), big.NewInt(100), nil), new(big.Int).Exp(big.NewInt(2), big.NewInt(100), nil))
	add("100 dimensions have room for more than 4.06·10¹⁷ vertices that are not linked around a hub", "4.06·10¹⁷", fmt.Sprintf("%.3g of ⌊(3/2)^100⌋", new(big.Float).SetInt(room)), "the number is right, but its proof has a gap: see the next row")
	if star := e.first("RECONSTRUCT star_ball RADIUS 1"); star != nil {
		ours := fmt.Sprintf("%d in the plane, placed with %s wrong pairs", starLeaves, wrongPairs(star, starLeaves))
		add("the proof: exactly ⌊3^k·Δ⌋ of them fit, with Δ the density of the densest packing", "8 in the plane", ours,
			"not reproduced: of 6 vertices within ε of a hub, two are at most 60° apart and so within ε; packings of a ball leave a margin")
		add("at most ⌊3^k·2^(−.599k)⌋ of them fit, for large k", "3 in the plane", ours, "holds for large k only, as the paper says")
	}
	for _, c := range []struct{ method, measure, printed string }{{dpWalker, "pearson", "44.5 %"}, {dpSpectral, "spearman", "84.3 %"}} {
		paper, at := e.gain(c.method, c.measure, func(title, m string) float64 { return e.figures.of(2, title, m, c.measure) })
		ours, ourAt := e.gain(c.method, c.measure, e.reconstructed(c.measure))
		if !math.IsInf(ours, 0) {
			add(fmt.Sprintf("%s is at least %s above the better baseline in %s", c.method, c.printed, c.measure), c.printed+" in its text",
				percent(ours)+" on "+ourAt, fmt.Sprintf("not reproduced, and not true of the paper's own table: %s on %s", percent(paper), at))
		}
	}
	above, of := 0, 0
	for _, title := range e.titles() {
		p := e.reconstructed("pearson")
		penalised, plain := math.Max(p(title, dpSpectral), p(title, dpWalker)), math.Max(p(title, le), p(title, deepWalk))
		if !math.IsNaN(penalised + plain) {
			of++
			if penalised > plain {
				above++
			}
		}
	}
	if of > 0 {
		add("a penalised method has the highest Pearson on every graph", "6 of 6", fmt.Sprintf("%d of %d", above, of), holds(above == of))
	}
	e.lawClaims(add, holds)
	e.studyClaims(add, holds)
	e.tableClaims(add, holds)
	return lines
}

// lawClaims are those about power laws and ε.
func (e *experiment) lawClaims(add func(claim, paper, ours, verdict string), holds func(bool) string) {
	laws := map[bool][]float64{}
	var graphs []float64
	for _, d := range e.graphs {
		for _, m := range methods() {
			if _, v := e.best(d, m); v != nil {
				penalised := !isBaseline(m)
				laws[penalised] = append(laws[penalised], v.get("ks"))
			}
		}
		if v, err := strconv.ParseFloat(e.property(d, "power law KS distance"), 64); err == nil {
			graphs = append(graphs, v)
		}
	}
	if laws[true] != nil && laws[false] != nil {
		with, _ := spread(laws[true])
		without, _ := spread(laws[false])
		own, _ := spread(graphs)
		said := "not reproduced: the baselines are nearer"
		if with < without {
			said = verdict(false, compared{"penalised", 0.115, with}, compared{"baselines", 0.225, without})
		}
		add("penalised methods reconstruct degrees nearer to a power law (mean KS) than the baselines", ".115, .225", fmt.Sprintf("%s, %s; the graphs themselves %s", short(with), short(without), short(own)),
			said+"; the fit begins at the degree where it is best, so that a few hubs of nearly one degree are near a steep law")
	}
	for _, d := range e.graphs {
		_, walker := e.best(d, dpWalker)
		_, plain := e.best(d, le)
		if d.labels != "" && walker != nil && plain != nil {
			add("the same of DP-Walker and LE on "+d.name, ".09, .2", short(walker.get("ks"))+", "+short(plain.get("ks")), holds(walker.get("ks") < plain.get("ks")))
		}
	}
	low, high := 1.0, 0.0
	for _, d := range e.graphs {
		if _, v := e.best(d, dpSpectral); v != nil {
			low, high = min(low, 1-v.get("epsilon")), max(high, 1-v.get("epsilon"))
		}
	}
	if low <= high {
		add("the best ε of DP-Spectral is around .51 (printed as 1 − ε)", ".50 to .93", fmt.Sprintf("%.2f to %.2f", low, high), holds(high < 0.6))
	}
}

// studyClaims are those about the figures of dimensions and β.
func (e *experiment) studyClaims(add func(claim, paper, ours, verdict string), holds func(bool) string) {
	for _, d := range e.graphs {
		if d.dims == nil {
			continue
		}
		spread := func(list [][2]float64) float64 {
			low, high := math.Inf(1), math.Inf(-1)
			for _, p := range list {
				low, high = min(low, p[1]), max(high, p[1])
			}
			return high - low
		}
		bySpectral, byWalker := spread(e.overDims(d, dpSpectral)), spread(e.overDims(d, dpWalker))
		if len(e.overDims(d, dpWalker)) > 1 {
			add("over the dimension DP-Spectral changes much and DP-Walker little, "+d.name, "figure", fmt.Sprintf("range of Pearson %s, %s", short(bySpectral), short(byWalker)), holds(byWalker < bySpectral/2))
		}
		bySpectral, byWalker = spread(e.overBeta(d, dpSpectral)), spread(e.overBeta(d, dpWalker))
		if len(e.overBeta(d, dpWalker)) > 1 {
			add("DP-Spectral is more sensitive to β than DP-Walker, "+d.name, "figure", fmt.Sprintf("range of Pearson %s, %s", short(bySpectral), short(byWalker)), holds(bySpectral > byWalker))
		}
	}
}

// tableClaims are those about links and classes.
func (e *experiment) tableClaims(add func(claim, paper, ours, verdict string), holds func(bool) string) {
	first, of := 0, 0
	for _, d := range e.graphs {
		best, at := 0.0, ""
		for _, m := range methods() {
			if v := e.ordered(d.name, m, ascending); v != nil && v.get("f1") > best {
				best, at = v.get("f1"), m
			}
		}
		if at != "" {
			of++
			if at == dpSpectral {
				first++
			}
		}
	}
	if of > 0 {
		add("DP-Spectral has the best F1 of links in most cases", "5 of 6", fmt.Sprintf("%d of %d", first, of), holds(2*first > of))
	}
	for _, d := range e.graphs {
		mean := map[string]float64{}
		for _, m := range methods() {
			mean[m], _ = e.accuracy(d, m, classAttribute)
		}
		for _, c := range [][2]string{{dpWalker, deepWalk}, {dpSpectral, le}} {
			a, b := mean[c[0]], mean[c[1]]
			if d.labels != "" && !math.IsNaN(a+b) {
				add(fmt.Sprintf("%s classifies better than %s", c[0], c[1]),
					fmt.Sprintf("%s, %s", short(e.figures.of(4, d.title, c[0], meanAccuracy)), short(e.figures.of(4, d.title, c[1], meanAccuracy))),
					fmt.Sprintf("%s, %s", short(a), short(b)), holds(a > b))
			}
		}
	}
}

// titles are the graphs of the paper that this run has, each once.
func (e *experiment) titles() (list []string) {
	for _, d := range e.graphs {
		if !slices.Contains(list, d.title) {
			list = append(list, d.title)
		}
	}
	return list
}

// reconstructed returns a function for our figure of Table 2, of the first graph with a
// title.
func (e *experiment) reconstructed(measure string) func(title, method string) float64 {
	return func(title, method string) float64 {
		i := slices.IndexFunc(e.graphs, func(d dataset) bool { return d.title == title })
		if i < 0 {
			return math.NaN()
		}
		_, v := e.best(e.graphs[i], method)
		return v.get(measure)
	}
}

// gain returns the least gain of a method over the better baseline, and the graph.
func (e *experiment) gain(method, measure string, figure func(title, method string) float64) (least float64, at string) {
	least = math.Inf(1)
	titles := []string{"Synthetic", "Facebook", "Twitter", "Coauthor", "Citation", private}
	for _, title := range titles {
		base := math.Max(figure(title, le), figure(title, deepWalk))
		if g := figure(title, method)/base - 1; base > 0 && g < least {
			least, at = g, title
		}
	}
	return least, at
}

func (e *experiment) reconstructions() (lines [][]string) {
	for _, d := range e.graphs {
		for _, m := range methods() {
			call, v := e.best(d, m)
			if v == nil {
				continue
			}
			all := func(prefix string) string {
				return pair(v, prefix+"pearson", prefix+"spearman") + " / " + short(v.get(prefix+"kendall"))
			}
			var printed []string
			var both []compared
			for _, measure := range []string{"pearson", "spearman", "kendall"} {
				p := e.figures.of(2, d.title, m, measure)
				printed = append(printed, strings.Replace(strings.Replace(strconv.FormatFloat(p, 'f', -1, 64), "0.", ".", 1), "-", "−", 1))
				if measure != "kendall" {
					both = append(both, compared{strings.ToUpper(measure[:1]) + measure[1:], p, v.get(measure)})
				}
			}
			said := verdict(isBaseline(m), both...)
			if v.get("null_pearson") >= v.get("pearson")-0.02 {
				said += "; the lengths alone reach this Pearson"
			}
			lines = append(lines, []string{d.name, m, strings.Join(printed, " / "), all(""), described(call), all("null_"),
				short(v.get("f1")) + ", " + short(v.get("h3")), said})
		}
	}
	return lines
}

// ordered returns the figures of links with the vertices of pairs in an order.
func (e *experiment) ordered(graph, method, order string) values {
	return e.journal.done[pairsOf(graph, method)].values(func(row map[string]any) bool { return row["order"] == order })
}

func (e *experiment) links() (lines [][]string) {
	figures := func(v values) string { return pair(v, "precision", "recall") + " / " + short(v.get("f1")) }
	for _, d := range e.graphs {
		for _, m := range methods() {
			random, sorted := e.ordered(d.name, m, inRandomOrder), e.ordered(d.name, m, ascending)
			if random == nil {
				continue
			}
			of := func(measure string) float64 { return e.figures.of(3, d.title, m, measure) }
			paper := figures(values{"precision": of("precision"), "recall": of("recall"), "f1": of("f1")})
			said := verdict(isBaseline(m), compared{"F1", of("f1"), sorted.get("f1")})
			switch same := math.Abs(of("f1")-random.get("f1")) <= near; {
			case said == "reproduced" && same:
				said += " in both orders"
			case said == "reproduced":
				said += " in ascending order only, by the numbers of the vertices"
			case same:
				said = "reproduced in random order"
			}
			null := e.ordered(d.name+nullGraph, m, ascending)
			lines = append(lines, []string{d.name, m, paper, figures(sorted), figures(random), short(null.get("f1")), said})
		}
	}
	return lines
}

// classCount is the number of classes in Table 4, which has the largest classes.
const classCount = 7

// accuracy returns the mean and the deviation of the accuracy of the largest classes.
func (e *experiment) accuracy(d dataset, method, attribute string) (mean, deviation float64) {
	type class struct{ size, accuracy float64 }
	var list []class
	for _, row := range e.journal.done[classesOf(d.name, method, attribute)].rows() {
		size, _ := row["test"].(float64)
		accuracy, _ := row["accuracy"].(float64)
		list = append(list, class{size, accuracy})
	}
	if list == nil {
		return math.NaN(), math.NaN()
	}
	slices.SortStableFunc(list, func(a, b class) int { return int(b.size - a.size) })
	var accuracies []float64
	for _, c := range list[:min(len(list), classCount)] {
		accuracies = append(accuracies, c.accuracy)
	}
	return spread(accuracies)
}

func (e *experiment) classes() (lines [][]string) {
	for _, d := range e.graphs {
		for _, m := range methods() {
			mean, deviation := e.accuracy(d, m, classAttribute)
			if math.IsNaN(mean) {
				continue
			}
			null, nullDeviation := e.accuracy(d, m, shuffledAttribute)
			paper, paperDeviation := e.figures.of(4, d.title, m, meanAccuracy), e.figures.of(4, d.title, m, deviationAccuracy)
			both := func(mean, deviation float64) string { return short(mean) + " ± " + short(deviation) }
			lines = append(lines, []string{d.name, m, both(paper, paperDeviation), both(mean, deviation), both(null, nullDeviation),
				verdict(isBaseline(m), compared{"mean", paper, mean}, compared{"deviation", paperDeviation, deviation})})
		}
	}
	return lines
}

// overDims and overBeta return Pearson's r over dimensions, and over β with the better
// normalisation.
func (e *experiment) overDims(d dataset, method string) (points [][2]float64) {
	call, _ := e.best(d, method)
	for _, dim := range e.dims(d) {
		if v := e.first(e.measured(d, method, call, dim)); v != nil {
			points = append(points, [2]float64{float64(dim), v.get("pearson")})
		}
	}
	return points
}

func (e *experiment) overBeta(d dataset, method string) (points [][2]float64) {
	for _, beta := range e.betas(d) {
		best := math.Inf(-1)
		for _, call := range e.variants(d, method) {
			if v := e.first(e.measured(d, method, call, d.dimension())); v != nil && strings.Contains(call, fmt.Sprintf("beta := %g,", beta)) {
				best = max(best, v.get("pearson"))
			}
		}
		if !math.IsInf(best, -1) {
			points = append(points, [2]float64{beta, best})
		}
	}
	return points
}

func (e *experiment) writeStudies(text *strings.Builder, d dataset) {
	if d.dims == nil {
		return
	}
	for _, s := range []struct {
		title  string
		points func(dataset, string) [][2]float64
	}{{"the dimension", e.overDims}, {"β", e.overBeta}} {
		header, lines := []string{d.name}, [][]string{}
		for _, m := range []string{dpSpectral, dpWalker} {
			line := []string{m}
			header = header[:1]
			for _, p := range s.points(d, m) {
				header, line = append(header, fmt.Sprint(p[0])), append(line, short(p[1]))
			}
			lines = append(lines, line)
		}
		if len(header) > 1 && len(lines[0]) == len(lines[1]) {
			writeTable(text, "Figure: Pearson's r of degrees over "+s.title+", "+d.name, "", header, lines)
		}
	}
}

// property returns a property of a graph, "" if it is not known.
func (e *experiment) property(d dataset, name string) string {
	for _, row := range e.journal.done[properties(d)].rows() {
		if row["property"] == name {
			return fmt.Sprint(row["value"])
		}
	}
	return ""
}

func (e *experiment) hubs() (lines [][]string) {
	for _, d := range e.graphs {
		if e.property(d, "largest hub") != "" {
			lines = append(lines, []string{d.name, e.property(d, "hub neighbours not adjacent"), e.property(d, "hub dimensions by the paper"), e.property(d, "hub dimensions proven")})
		}
	}
	return lines
}

// wrongPairs counts the edges that a reconstruction misses, and its edges that the graph
// does not have.
func wrongPairs(v values, edges float64) string {
	joined := v.get("edges")
	return count(joined + edges - 2*math.Round(joined*v.get("precision")))
}

func (e *experiment) reach() (lines [][]string) {
	for _, d := range e.graphs {
		for _, call := range reached() {
			m := measurement{d, call}
			v := e.first(m.reconstruct())
			if v == nil {
				continue
			}
			cells := e.linkCells(m, vectorScorer)
			lines = append(lines, []string{d.name, call, pair(v, "pearson", "spearman"), short(v.get("f1")), short(v.get("h3")) + ", " + short(v.get("null_h3")),
				cells[0], cells[1], fmt.Sprintf("%.1f", e.processor(m.embed()))})
		}
	}
	return lines
}
