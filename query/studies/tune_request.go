package studies

import (
	"cmp"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/run"
	"heavytail/embedding/tune"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// Goal is the purpose for which embeddings are tuned.
type Goal string

// The goals.
const (
	ForReconstruction Goal = "reconstruction" // the vectors reconstruct degrees and edges
	ForLinks          Goal = "links"          // the vectors predict held-out edges
	ForLabels         Goal = "labels"         // the vectors predict labels of vertices
)

// DefaultBudget is the time that a search without any limit takes.
const DefaultBudget = 10 * time.Minute

// TuneRequest asks for the best embedding of a graph for a goal.
type TuneRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	// Methods are searched together; nil is all whose defaults take at most a tenth of the
	// budget on this graph, except node2vec, or unit_ball if Exact.
	Methods []TuneMethod
	Goal    Goal
	// Exact also searches unit_ball, or only unit_ball if Methods is nil; for
	// ForReconstruction only. Where its dim suffices it reconstructs every edge, so it
	// wins every comparison: it takes part only if it is asked for or named.
	Exact bool
	// Criterion is the measure to maximise, one of Criteria of the goal; empty
	// means the first of them.
	Criterion string
	// Attribute is the attribute with the labels, and Separator separates the
	// labels of a vertex in a text, as in EvaluateLabelsRequest.
	Attribute, Separator string

	Share float64 // of the edges to hold out for links; 0 is the default of evaluate.SplitOptions
	// Latest holds out the edges with the latest timestamps instead of random
	// edges, and learns from the edges before them, as EVALUATE LINKS does.
	Latest  bool
	latest  *bool // the option of a statement
	ifTimed bool  // Latest is whether the graph has times

	// Budget is the time after which no new trial begins, nor one of unit_ball that is
	// expected to end later; then only the best embedding is still computed. 0 means DefaultBudget, or no limit if Trials is set. The
	// first trials are the defaults of the methods, so the budget should be long
	// enough for them.
	Budget time.Duration
	Trials int    // the largest number of trials; 0 for no limit
	Seed   uint64 // seed of the random pairs, and of methods without a given seed
}

// TuneMethod is a method to search, in one of the two forms of vectors.EmbedRequest; in a
// struct, a Seed of 0 means the seed of the search. Options that are set are kept;
// the others that can be tuned are searched: beta, normalization, scale and
// row_scale of the spectral methods; row_norm, row_scale, walks and alpha of those that
// walk, with beta and common of dp_walker and p and q of node2vec; row_norm and row_scale of
// prone, fastrp and netmf, with mu and beta of the first two; and margin of unit_ball.
type TuneMethod struct {
	Using    vectors.MethodOptions
	Method   string
	Settings map[string]any
}

// TuneResult is the answer of Tune.
type TuneResult struct {
	Embedding vectors.EmbedResult `json:"embedding"` // the best embedding, as it was stored
	Trials    []tune.Trial        `json:"trials"`    // the best first
	Reason    tune.Reason         `json:"reason"`    // why the search ended
	Seconds   float64             `json:"seconds"`   // of the search
	Notices   []rows.Notice       `json:"notices,omitempty"`
}

// Criteria returns the names of the measures that a goal can be tuned by, the
// default first.
func (g Goal) Criteria() []string {
	switch g {
	case ForReconstruction:
		return []string{"h3", "both", "pearson", "spearman", "kendall", "f1", "ks"}
	case ForLinks:
		return []string{"auc", "f1", "average_precision"}
	case ForLabels:
		return []string{"micro_f1", "macro_f1", "accuracy"}
	}
	return nil
}

// tuning is what the names in a TuneRequest refer to.
type tuning struct {
	graph      storage.GraphInfo
	generation uint64 // that the result will have
	methods    []tunedMethod
	left       []string // methods that are not searched, each with the reason, if none was named
	criterion  int      // index in the Criteria of the goal
	latest     bool     // as in TuneRequest
	share      float64  // as in TuneRequest
	budget     time.Duration
}

type tunedMethod struct {
	methods.Configured             // with what was given
	search             tune.Method // the same for package tune
}

// abreast returns how many trials of a search run at a time: two if there are workers for
// them, and half of the memory that may be used is enough.
func abreast(c *engine.Call, t *tuning, g *session.Graph, goal Goal) int {
	if c.Workers() == 1 || t.bytes(g, goal, sweep.Bytes(c), 2) > c.DB.Opts.MemoryLimit/2 {
		return 1
	}
	return 2
}

// bytes estimates the memory of a search in addition to the graph, with so many trials at a
// time: that of the method which takes most.
func (t *tuning) bytes(g *session.Graph, goal Goal, sweep int64, abreast int) int64 {
	n, edges, most := int64(g.Graph.Vertices()), g.Graph.Edges(), int64(0)
	for _, m := range t.methods {
		dim, judging := m.Dim(g.Graph.Vertices()), int64(0)
		switch goal {
		case ForLabels:
			judging = 4*n*dim + 120*n // a copy of the rows, and classes and predictions
		case ForLinks:
			judging = 4 * dim * min(evaluate.DefaultTraining, edges) // features of pairs to learn from
		default:
			judging = tune.ReconstructionBytes(g.Graph.Vertices(), int(dim), edges, evaluate.ReconstructOptions{MaxBytes: sweep})
		}
		computing, _ := run.Bytes(g.Graph, m.Method.Name, m.Options) // they have been checked
		most = max(most, tune.Bytes(session.VectorBytes(g.Graph.Vertices(), int(dim)), computing, judging, abreast))
	}
	if goal == ForLinks {
		const perPair = 60 // with the lists and the set that they are drawn by, and scores
		held := int64(cmp.Or(t.share, evaluate.DefaultShare)*float64(edges)) + min(evaluate.DefaultTraining, edges)
		most += 2*session.EdgeBytes(g.Info) + perPair*held // two more graphs
	}
	return most
}
