package links

import (
	"errors"
	"math"
	"slices"
	"strings"

	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// ParseScorers parses comma-separated scorers in the form of the language, such as
// "adamic_adar, cosine(spec), model(friends)".
func ParseScorers(text string) ([]catalogue.Scorer, error) {
	list, err := parser.ParseScorers(text)
	if err != nil {
		return nil, err
	}
	return lists.Map(list, catalogue.ScorerIn), nil
}

// scorers marks and converts the scorers of a statement.
func scorers(b *engine.Binder, list ...parser.Scorer) []catalogue.Scorer {
	with := make([]catalogue.Scorer, len(list))
	for i, s := range list {
		b.Mark(fault.Scorer(i), s)
		with[i] = catalogue.ScorerIn(s)
	}
	return with
}

// checkScorer returns an Error for an unknown scorer, for a scorer of vectors
// without an embedding, and for a scorer of graphs with one.
func checkScorer(w catalogue.Scorer, at fault.Part) error {
	if w.Model != "" || w.Name == catalogue.ModelScorer {
		return checkModelScorer(w, at)
	}
	for _, known := range link.Scorers() {
		switch {
		case known.Name != w.Name:
		case known.NeedsEmbedding && w.Embedding == "":
			return fault.New(at, "scorer %s reads an embedding, and none is named", w.Name).WithRemedy("write " + w.Name + "(embedding)")
		case !known.NeedsEmbedding && w.Embedding != "":
			return fault.New(at, "scorer %s reads the graph alone, and embedding %s is named", w.Name, fault.Name(w.Embedding))
		default:
			return nil
		}
	}
	return scoring.UnknownScorer(w.Name, at)
}

// checkModelScorer is checkScorer for a scorer that is or looks like a model.
func checkModelScorer(w catalogue.Scorer, at fault.Part) error {
	switch {
	case w.Model == "":
		return fault.New(at, "scorer model reads a model, and none is named").WithRemedy("write model(name); SHOW MODELS lists them")
	case w.Name != catalogue.ModelScorer && w.Name != "" || w.Embedding != "":
		return fault.New(at, "scorer %s reads no model, and model %s is named", fault.Quote(w.Name), fault.Name(w.Model))
	}
	return nil
}

// scorerEntries has the catalogue entries of scorers and of the graph whose pairs
// they score. call.scoring loads the objects.
type scorerEntries struct {
	graph   storage.GraphInfo
	scorers []scorerEntry
	along   bool // pairs have the direction of the edges of the graph

	baseRate float64 // of edges, for the probabilities of models; 0 for equal numbers of edges and other pairs
}

const baseRateOption = "base_rate"

// atBaseRate sets the base rate, which is for models.
func (s *scorerEntries) atBaseRate(rate float64) error {
	if s.baseRate = rate; rate > 0 && !slices.ContainsFunc(s.scorers, func(w scorerEntry) bool { return w.Model != "" }) {
		return fault.OfOption(baseRateOption, "is for the probabilities of models, and no scorer is one")
	}
	return nil
}

// toward sets the direction of the pairs.
func (s *scorerEntries) toward(direction string) (err error) {
	s.along, err = scoring.Along(s.graph, direction)
	return err
}

type scorerEntry struct {
	catalogue.Scorer
	model storage.ModelInfo // entry of the model, if the scorer is a model
	// embeddings are the entries of those that the scorer or its model reads. The nearest
	// vertices are those of the first one.
	embeddings []*session.Entry
}

// embedding is the first embedding; nil for none.
func (s scorerEntry) embedding() *session.Entry {
	if len(s.embeddings) == 0 {
		return nil
	}
	return s.embeddings[0]
}

// findScorers checks scorers and finds their entries, and the entry of the graph;
// if none is named, this is the graph of an embedding or a model, or the only graph
// of the file.
func findScorers(c *engine.Call, graph string, with []catalogue.Scorer) (*scorerEntries, error) {
	if len(with) == 0 {
		return nil, fault.New(fault.Scorer(0), "no scorer is named")
	}
	s := &scorerEntries{scorers: make([]scorerEntry, len(with))}
	for i, w := range with {
		what, of, err := findScorer(c, &s.scorers[i], w, fault.Scorer(i))
		if err != nil {
			return nil, err
		}
		if graph == "" {
			graph = of
		}
		if of != "" && of != graph {
			return nil, fault.New(fault.Scorer(i), "%s belongs to graph %s, and not to graph %s", what, fault.Name(of), fault.Name(graph))
		}
	}
	var err error
	if s.graph, err = c.GraphOrOnly(graph); err != nil {
		return nil, err
	}
	for i, w := range s.scorers {
		if !s.graph.Timed && w.needsTimes() {
			return nil, scoring.NoTimes(s.graph.Name, w.String(), fault.Scorer(i))
		}
	}
	return s, nil
}

// needsTimes reports whether the scorer, or a term of its model, needs the times of edges.
func (s scorerEntry) needsTimes() bool {
	return link.NeedsTimes(s.Name) || slices.ContainsFunc(s.model.Terms, link.NeedsTimes)
}

// findScorer finds the entries of one scorer. It returns the graph of the
// embedding or model that the scorer reads, and a name for that object in errors;
// both are empty for heuristics, which score pairs of any graph.
func findScorer(c *engine.Call, s *scorerEntry, w catalogue.Scorer, at fault.Part) (what, graph string, err error) {
	s.Scorer = w
	if err := checkScorer(w, at); err != nil {
		return "", "", err
	}
	if w.Model != "" {
		if s.model, err = entries.ModelInfo(c, w.Model, at); err == nil {
			s.embeddings, err = modelEmbeddings(c, s.model, at)
		}
		return "model " + fault.Name(w.Model), s.model.Graph, err
	}
	if w.Embedding == "" {
		return "", "", nil
	}
	e, err := c.Entry(w.Embedding, at)
	s.embeddings = []*session.Entry{&e}
	return "embedding " + fault.Name(w.Embedding), e.Info.Graph, err
}

func modelEmbeddings(c *engine.Call, model storage.ModelInfo, at fault.Part) ([]*session.Entry, error) {
	var list []*session.Entry
	for _, of := range model.Embeddings {
		e, err := c.Entry(of.Name, at)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, fault.New(at, "model %s reads embedding %s, which was dropped", fault.Name(model.Name), fault.Name(of.Name)).
				WithRemedy("TRAIN MODEL " + fault.Name(model.Name) + " again, with other embeddings or without").WithErr(err)
		}
		if err != nil {
			return nil, err
		}
		if err := checkMethod(model.Name, of, e.Info, at); err != nil {
			return nil, err
		}
		list = append(list, &e)
	}
	return list, nil
}

func scorerColumns(with []catalogue.Scorer) []string {
	return lists.Map(with, catalogue.Scorer.String)
}

// embeddings lists the embeddings that the scorers read, each once.
func (s *scorerEntries) embeddings() []*session.Entry {
	var list []*session.Entry
	seen := map[string]bool{}
	for _, w := range s.scorers {
		for _, e := range w.embeddings {
			if !seen[e.Info.Name] {
				list, seen[e.Info.Name] = append(list, e), true
			}
		}
	}
	return list
}

func (s *scorerEntries) with() []catalogue.Scorer {
	return lists.Map(s.scorers, func(w scorerEntry) catalogue.Scorer { return w.Scorer })
}

// inputs are the steps that load the embeddings and the graph.
func (s *scorerEntries) inputs() []*plan.Plan {
	return append(lists.Map(s.embeddings(), (*session.Entry).Plan), session.GraphPlan(s.graph))
}

// readsPart reports whether the scorers read only the rows of some vertices.
func (s *scorerEntries) readsPart() bool {
	return !slices.ContainsFunc(s.scorers, func(s scorerEntry) bool { return s.Model != "" || !link.ReadsRows(s.Name) })
}

// partPlan is the plan of scores of a few pairs, which readScored reads.
func (s *scorerEntries) partPlan(with []catalogue.Scorer) *plan.Plan {
	inputs := s.inputs()
	if s.readsPart() {
		inputs[len(inputs)-1] = session.PartPlan(s.graph)
	}
	return scorePlan(with, inputs)
}

func scorePlan(with []catalogue.Scorer, inputs []*plan.Plan) *plan.Plan {
	return plan.Measured(plan.Score, "score", strings.Join(scorerColumns(with), ", "), inputs...)
}

// Scorers lists the link scorers.
func Scorers() []link.Scorer { return link.Scorers() }

// thresholdField is the option threshold of scores; nil is none.
func thresholdField[O any](doc string, at func(*O) **float64) option.Field[O] {
	return option.FloatOr("threshold", "none", doc, at).Where("a number", func(v any) bool { return !math.IsNaN(v.(float64)) })
}
