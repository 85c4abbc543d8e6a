package links

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// RefreshPredictionsRequest asks for stored predictions to be brought up to date with their
// graph, and with the embedding or model of their scorer.
type RefreshPredictionsRequest struct {
	Graph string
	With  catalogue.Scorer
}

// RefreshPredictionsResult is the answer of RefreshPredictions.
type RefreshPredictionsResult struct {
	MaterializeResult
	Kind     catalogue.RefreshKind `json:"kind"`
	Versions uint64                `json:"versions"` // number of newer versions of the graph, except versions that changed only attributes
}

// stalePredictions is what the names in a RefreshPredictionsRequest refer to.
type stalePredictions struct {
	*materializeEntry
	request MaterializeRequest // the request by which the predictions were stored
	old     storage.PredictionInfo
	changes storage.ChangeSet // of the graph since
}

var refreshPredictions = &engine.Statement[*parser.RefreshPredictions, RefreshPredictionsRequest, stalePredictions, RefreshPredictionsResult]{
	Help: help.Statement{
		Statement: "REFRESH PREDICTIONS",
		Summary:   "brings stored predictions up to date with their graph and with the embedding or model of their scorer",
		Detail:    "It takes the options of MATERIALIZE PREDICTIONS by which they were stored, and does not refresh the embedding. SHOW PREDICTIONS shows which are behind. kind is none; incremental, if only the vertices that changes of the graph can affect were computed; or full, if all were; reason says why",
		Words:     "update stale incremental",
		Columns:   "graph, scorer, kind, versions, computed, vertices, links, seconds, reason; in the background those of SHOW JOBS",
	},
	Bind: func(b *engine.Binder, s *parser.RefreshPredictions) RefreshPredictionsRequest {
		b.Background = s.Background
		return RefreshPredictionsRequest{b.Name(fault.Graph, s.Graph), scorers(b, s.Scorer)[0]}
	},
	Resolve: resolveRefreshPredictions,
	Plan: func(_ RefreshPredictionsRequest, found stalePredictions) *plan.Plan {
		if found.current() {
			return plan.Result("predictions", "by "+found.old.Scorer+" as they are: nothing has changed", session.GraphPlan(found.graph))
		}
		return materialize.Plan(found.request, found.materializeEntry)
	},
	Run: runRefreshPredictions,
	Table: func(_ RefreshPredictionsRequest, r RefreshPredictionsResult) [][]rows.Value {
		return [][]rows.Value{{r.Graph, r.Scorer, string(r.Kind), int64(r.Versions), int64(r.Computed), int64(r.Vertices), r.Links, r.Seconds, r.Reason}}
	},
	Job: func(_ *engine.Call, _ RefreshPredictionsRequest, found stalePredictions) (job.Spec, error) {
		return found.spec(found.request, found.graph), nil
	},
}

// RefreshPredictions brings stored predictions up to date, with the result of Materialize
// with the same options.
func (s *Service) RefreshPredictions(ctx context.Context, req RefreshPredictionsRequest) (RefreshPredictionsResult, error) {
	return refreshPredictions.Answer(ctx, s.db, req)
}

// StartRefreshPredictions is RefreshPredictions in the background, as a job of MATERIALIZE
// PREDICTIONS.
func (s *Service) StartRefreshPredictions(ctx context.Context, req RefreshPredictionsRequest) (storage.JobInfo, error) {
	return refreshPredictions.Start(ctx, s.db, req)
}

func resolveRefreshPredictions(c *engine.Call, req RefreshPredictionsRequest) (found stalePredictions, err error) {
	graph, err := c.GraphInfo(req.Graph, fault.Graph)
	if err != nil {
		return found, err
	}
	if found.old, err = storedPredictions(c, graph, inCatalogue(c, req.With)); err != nil {
		return found, err
	}
	if found.request, err = materializedBy(found.old); err != nil {
		return found, err
	}
	if graph.Directed && !found.old.Directed { // which is not the default
		found.request.Direction = scoring.DirectionBoth
	}
	if found.materializeEntry, err = resolveMaterialize(c, found.request); err != nil {
		return found, err
	}
	found.changes, err = c.DB.Store.Changes(c.Ctx, graph.Name, found.old.GraphVersion)
	return found, err
}

// materializedBy is the request by which predictions were stored.
func materializedBy(p storage.PredictionInfo) (MaterializeRequest, error) {
	r := MaterializeRequest{Graph: p.Graph, With: entries.ScorerOf(p), K: p.K, Sides: engine.ValueOf(p.Options, scoring.SidesOption)}
	var err error
	if r.Near, err = strconv.Atoi(cmp.Or(engine.ValueOf(p.Options, "near"), "0")); err != nil {
		err = fmt.Errorf("option near of predictions by %s: %w", p.Scorer, err)
	}
	return r, err
}

// current reports whether neither the graph nor the embedding or model has changed.
func (s stalePredictions) current() bool {
	return s.old.GraphVersion == s.graph.Version && s.old.Made.Equal(s.renewal.made)
}

func runRefreshPredictions(c *engine.Call, _ RefreshPredictionsRequest, found stalePredictions) (r RefreshPredictionsResult, err error) {
	r = RefreshPredictionsResult{MaterializeResult: MaterializeResult{PredictionInfo: found.old, Reason: "nothing has changed"}, Kind: catalogue.RefreshNone, Versions: found.changes.Versions}
	if !found.current() {
		r.MaterializeResult, err = runMaterialize(c, found.request, found.materializeEntry)
	}
	switch {
	case r.Computed == 0:
		r.Seconds = 0
	case r.Computed < r.Vertices:
		r.Kind = catalogue.RefreshIncremental
	default:
		r.Kind = catalogue.RefreshFull
	}
	r.Notices = c.Notices
	return r, err
}

// RefreshPredictionsIn is Refresh inside of a call of another statement.
func RefreshPredictionsIn(c *engine.Call, req RefreshPredictionsRequest) (RefreshPredictionsResult, error) {
	return refreshPredictions.Inside(c, req)
}
