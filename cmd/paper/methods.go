package main

import (
	"fmt"
	"math"
	"strings"
)

// This file measures methods on graphs: whether their vectors give the graph back, whether
// they predict hidden links and labels, and what they cost.

// allCalls are the methods that are measured by default; "" is no embedding.
func allCalls() []string {
	return []string{"", "fastrp", "prone", "netmf", "laplacian_eigenmaps", "dp_spectral", "deepwalk", "node2vec(p := 0.5, q := 2)", "dp_walker", "unit_ball", "unit_ball(start := 'deepwalk')"}
}

// mostVertices is the size, in thousands, up to which netmf is measured: it computes an
// entry for each pair of vertices.
const mostVertices = 30

// measurement has the statements that measure a method on a graph.
type measurement struct {
	d    dataset
	call string
}

// name is that of the embedding; those of the paper's protocol have other names.
func (m measurement) name() string {
	word := func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return m.d.name + "_by_" + strings.Join(strings.FieldsFunc(m.call, word), "_")
}

func (m measurement) embed() string {
	return fmt.Sprintf("EMBED %s USING %s AS %s", m.d.name, m.call, m.name())
}

// reconstruct measures unit_ball at radius 1, for which it is trained, and others at the
// radius where they are best.
func (m measurement) reconstruct() string {
	if strings.HasPrefix(m.call, "unit_ball") {
		return fmt.Sprintf("RECONSTRUCT %s RADIUS 1", m.name())
	}
	return fmt.Sprintf("EVALUATE RECONSTRUCTION OF %s WITH (criterion := 'h3')", m.name())
}

func (m measurement) links(options string) string {
	if m.call == "" {
		return fmt.Sprintf("EVALUATE LINKS IN %s WITH (%s, model := TRUE, seed := 1)", m.d.name, options)
	}
	return fmt.Sprintf("EVALUATE LINKS IN %s USING %s WITH (%s, scorers := 'l2, cosine, dot', seed := 1)", m.d.name, m.call, options)
}

// pairs measures hidden links, on graphs that are not large also on a null graph, which
// takes one more embedding.
func (m measurement) pairs() string {
	return m.links(fmt.Sprintf("negatives := 'random, degree', null_graph := %t", m.d.nulled()))
}

func (m measurement) ranks() string { return m.links("ranking := 10") }

func (m measurement) classes() string {
	return fmt.Sprintf("EVALUATE LABELS '%s' OF %s WITH (fractions := '0.1, 0.5', seeds := 3, separator := '%s')", classAttribute, m.name(), classSeparator)
}

func (m measurement) estimate() string {
	return fmt.Sprintf("ESTIMATE EMBED %s USING %s", m.d.name, m.call)
}

// steps lists the measurements of a method; few leaves out recommendations and labels, and
// hidden links of unit_ball on large graphs, where it takes longest.
func (m measurement) steps(few bool) []step {
	cost, pairs := m.d.cost(m.call), m.d.pairCost()
	var list []step
	add := func(statement, what string, cost float64) {
		list = append(list, step{statement: statement, about: fmt.Sprintf("%s: %s of %s", m.d.name, what, strings.TrimSpace(m.call+" defaults")), cost: cost})
	}
	if m.call != "" {
		add(m.estimate(), "memory", 0.1)
		add(m.embed(), "vectors", cost)
		add(m.reconstruct(), "reconstruction", 2*pairs)
		if m.d.labels != "" && !few {
			add(m.classes(), "labels", m.d.size.vertices)
		}
	}
	if !few || m.d.nulled() || m.call != "unit_ball" {
		add(m.pairs(), "hidden links", 2*cost+m.d.size.edges/50)
	}
	if !few {
		add(m.ranks(), "recommendations", cost+m.d.size.vertices/5+m.d.size.edges/50)
	}
	return list
}

// calls returns the methods that are measured on a graph.
func (e *experiment) calls(d dataset) (calls []string) {
	list := e.config.Calls
	if list == nil {
		list = allCalls()
	}
	for _, call := range list {
		if call = strings.TrimSpace(call); !strings.HasPrefix(call, "netmf") || d.size.vertices < mostVertices {
			calls = append(calls, call)
		}
	}
	return calls
}

func methodSteps(e *experiment) (list []step) {
	for _, d := range e.graphs {
		list = append(list, e.loading(d)...)
		for _, call := range e.calls(d) {
			list = append(list, measurement{d, call}.steps(false)...)
		}
	}
	return list
}

func methodReport(e *experiment) string {
	var text strings.Builder
	text.WriteString("# Methods\n")
	for _, d := range e.graphs {
		var lines [][]string
		for _, call := range e.calls(d) {
			m := measurement{d, call}
			if call == "" && e.first(m.pairs()) != nil {
				lines = append(lines, e.withoutVectors(m)...)
			} else if line := e.line(m); line != nil {
				lines = append(lines, line)
			}
		}
		if lines != nil {
			describe := e.journal.done[d.load()].values(nil)
			writeTable(&text, fmt.Sprintf("%s: %s vertices, %s edges", d.name, count(describe.get("vertices")), count(describe.get("edges"))), "",
				[]string{"method", "P / S", "F1", "H3, null", "AUC random", "AUC degree, null", "MAP", "labels 10 / 50 %", "processor s", "MB"}, lines)
		}
	}
	return text.String()
}

// line returns the figures of a method, nil before there are any.
func (e *experiment) line(m measurement) []string {
	r := e.first(m.reconstruct())
	if r == nil {
		return nil
	}
	labels := ""
	for _, fraction := range []float64{0.1, 0.5} {
		if v := e.journal.done[m.classes()].values(func(row map[string]any) bool { return row["fraction"] == fraction }); v != nil {
			labels = strings.TrimPrefix(labels+" / "+short(v.get("micro_f1")), " / ")
		}
	}
	line := append([]string{m.call, pair(r, "pearson", "spearman"), short(r.get("f1")), short(r.get("h3")) + ", " + short(r.get("null_h3"))}, e.linkCells(m, vectorScorer)...)
	return append(line, labels, fmt.Sprintf("%.1f", e.processor(m.embed())), fmt.Sprintf("%.0f", e.first(m.estimate()).get("bytes")/1e6))
}

// withoutVectors returns the figures of the best scorer without an embedding, and of a
// trained model.
func (e *experiment) withoutVectors(m measurement) (lines [][]string) {
	for _, kind := range []struct {
		title  string
		chosen func(string) bool
	}{
		{"no embedding", func(scorer string) bool { return scorer != trainedModel }},
		{"TRAIN MODEL", func(scorer string) bool { return scorer == trainedModel }},
	} {
		line := append([]string{kind.title, "", "", ""}, e.linkCells(m, kind.chosen)...)
		lines = append(lines, append(line, "", "", ""))
	}
	return lines
}

// trainedModel is the scorer of a model that TRAIN MODEL would train.
const trainedModel = "model"

// vectorScorer reports whether a scorer learns nothing from the graph.
func vectorScorer(scorer string) bool { return scorer == "l2" || scorer == "cosine" || scorer == "dot" }

// linkCells returns the best figures of some scorers, each with the scorer and with that
// of the same scorer on a null graph.
func (e *experiment) linkCells(m measurement, chosen func(scorer string) bool) []string {
	best := func(statement, negatives, measure string) (v values, name string) {
		for _, row := range e.journal.done[statement].rows() {
			scorer, _ := row["scorer"].(string)
			kind, _ := row["negatives"].(string)
			if value, is := row[measure].(float64); is && kind == negatives && chosen(scorer) && (v == nil || value > v[measure]) {
				v, name = values{measure: value}, scorer
				if null, is := row["null_"+measure].(float64); is {
					v["null"] = null
				}
			}
		}
		return v, name
	}
	random, _ := best(m.pairs(), "random", "auc")
	degree, byDegree := best(m.pairs(), "degree", "auc")
	ranks, byRank := best(m.ranks(), "", "map")
	named := func(v values, measure, scorer string) string {
		if v == nil {
			return ""
		}
		text := short(v.get(measure))
		if null := v.get("null"); !math.IsNaN(null) {
			text += ", " + short(null)
		}
		if scorer != trainedModel {
			text += " (" + strings.ReplaceAll(scorer, "_", " ") + ")"
		}
		return text
	}
	return []string{short(random.get("auc")), named(degree, "auc", byDegree), named(ranks, "map", byRank)}
}
