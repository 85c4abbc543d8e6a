package measures

import (
	"context"
	"fmt"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// RefreshMeasureRequest asks to compute a stored measure again if its graph has
// changed.
type RefreshMeasureRequest struct {
	Graph     string
	Attribute string // attribute in which COMPUTE stored the measure
}

// RefreshMeasureResult is the answer of RefreshMeasure. If Kind is RefreshNone, the
// values and figures of the measure are left out.
type RefreshMeasureResult struct {
	ComputeResult
	Kind     catalogue.RefreshKind `json:"kind"`     // none or full
	Versions uint64                `json:"versions"` // number of newer versions of the graph, except versions that changed only attributes
	Changed  int                   `json:"changed"`  // number of vertices that were added or deleted, or whose edges changed
	Unknown  bool                  `json:"unknown"`  // the change log does not record which vertices changed: any may have
}

// staleMeasure is what the names in a RefreshMeasureRequest refer to.
type staleMeasure struct {
	computable
	request ComputeRequest // the request by which the values were computed
	changes storage.ChangeSet
}

var refreshMeasure = &engine.Statement[*parser.RefreshMeasure, RefreshMeasureRequest, staleMeasure, RefreshMeasureResult]{
	Help: help.Statement{
		Statement: "REFRESH MEASURE",
		Summary:   "computes a stored measure again, with the same options, if the graph has changed since",
		Detail:    "SHOW ATTRIBUTES shows which measures are behind. kind is none or full",
		Words:     "update recompute stale",
		Columns:   "attribute, measure, kind, versions, changed, seconds; in the background those of SHOW JOBS",
	},
	Bind: func(b *engine.Binder, s *parser.RefreshMeasure) RefreshMeasureRequest {
		b.Background = s.Background
		return RefreshMeasureRequest{Graph: b.Name(fault.Graph, s.Graph), Attribute: b.Name(engine.PartAttribute, s.Attribute)}
	},
	Resolve: resolveRefreshMeasure,
	Plan: func(req RefreshMeasureRequest, found staleMeasure) *plan.Plan {
		if !found.changes.EdgesChanged {
			return plan.Result("measure", fmt.Sprintf("attribute %s as it is: no edge changed", fault.Name(req.Attribute)), session.GraphPlan(found.graph))
		}
		return computeStatement.Plan(found.request, found.computable)
	},
	Run: func(c *engine.Call, req RefreshMeasureRequest, found staleMeasure) (r RefreshMeasureResult, err error) {
		r = RefreshMeasureResult{
			ComputeResult: ComputeResult{Graph: req.Graph, Measure: found.measure.Name, Attribute: req.Attribute}, Kind: catalogue.RefreshNone,
			Versions: found.changes.Versions, Changed: len(found.changes.Touched) + found.changes.Deleted, Unknown: found.changes.All,
		}
		if found.changes.EdgesChanged {
			r.Kind = catalogue.RefreshFull
			r.ComputeResult, err = runCompute(c, found.request, found.computable)
		}
		return r, err
	},
	Table: func(_ RefreshMeasureRequest, r RefreshMeasureResult) [][]rows.Value {
		return [][]rows.Value{{r.Attribute, r.Measure, string(r.Kind), int64(r.Versions), cells.When(!r.Unknown, int64(r.Changed)), r.Seconds}}
	},
	Job: func(_ *engine.Call, _ RefreshMeasureRequest, found staleMeasure) (job.Spec, error) {
		return found.spec(found.request), nil
	},
}

// Refresh computes again a measure that Compute stored, with the same options,
// if vertices or edges of the graph have changed since. Changes of attributes do not
// count.
func (s *Service) Refresh(ctx context.Context, req RefreshMeasureRequest) (RefreshMeasureResult, error) {
	return refreshMeasure.Answer(ctx, s.db, req)
}

// StartRefresh is RefreshMeasure in the background, as a job of COMPUTE, which
// computes the measure also if nothing has changed.
func (s *Service) StartRefresh(ctx context.Context, req RefreshMeasureRequest) (storage.JobInfo, error) {
	return refreshMeasure.Start(ctx, s.db, req)
}

func resolveRefreshMeasure(c *engine.Call, req RefreshMeasureRequest) (found staleMeasure, err error) {
	graph, err := c.GraphInfo(req.Graph, fault.Graph)
	if err != nil {
		return found, err
	}
	at := slices.IndexFunc(graph.Attributes, func(a storage.Attribute) bool { return a.Name == req.Attribute })
	if at < 0 {
		return found, session.UnknownAttribute(graph, req.Attribute, engine.PartAttribute)
	}
	made := graph.Computed[at]
	if made == nil {
		return found, fault.New(engine.PartAttribute, "attribute %s was not computed, or was changed since", fault.Quote(req.Attribute)).
			WithRemedy("COMPUTE measure IN graph AS attribute stores a measure")
	}
	found.request = requestOf(req, made)
	if found.computable, err = resolveCompute(c, found.request); err != nil {
		return found, err
	}
	found.changes, err = c.DB.Store.Changes(c.Ctx, req.Graph, made.GraphVersion)
	return found, err
}

// requestOf is the request by which values were computed. An option that the measure no
// longer has is left out.
func requestOf(req RefreshMeasureRequest, made *storage.Computed) ComputeRequest {
	r := ComputeRequest{Graph: req.Graph, Measure: made.Method, As: req.Attribute, Overwrite: true, Settings: map[string]any{}}
	m, _ := findMeasure(made.Method) // resolve refuses one that is unknown
	for _, set := range made.Options {
		if set.Name == entries.FromSetting {
			r.From = append(r.From, set.Value)
		}
		for _, o := range m.Options {
			if o.Name == set.Name {
				r.Settings[o.Name] = o.Parse(set.Value)
			}
		}
	}
	return r
}

// RefreshMeasureIn is Refresh inside of a call of another statement.
func RefreshMeasureIn(c *engine.Call, req RefreshMeasureRequest) (RefreshMeasureResult, error) {
	return refreshMeasure.Inside(c, req)
}
