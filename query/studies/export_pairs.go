package studies

import (
	"context"
	"fmt"
	"io"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/export"
	"heavytail/query/internal/rowfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/csr"
)

// This file has EXPORT PAIRS: the pairs and scores that EVALUATE LINKS measures.

// ExportPairsRequest asks to write what EvaluateLinks measures.
//
// Without RankAt the file has a row for each pair of each kind of negatives: negatives,
// part ("held_out", or "training" for the pairs that models and thresholds come from),
// label (1 for an edge, 0 for another pair), the keys u and v, and a column for each
// scorer. Columns of vectors are named method.scorer, and those of models
// method.logistic(feature).
//
// With RankAt it has a row for each recommendation, and one for each held-out edge of the
// sampled vertices that was not recommended, by each scorer: method, scorer, the key u of
// the vertex that links are recommended to, that of the other vertex v, label (1 if the
// edge was held out), rank (1 for the best; missing if v was not recommended), score, and
// popular (1 if v is in the top percentile of the degrees).
//
// In both files larger scores mean likelier edges: distances are negated.
type ExportPairsRequest struct {
	Evaluation EvaluateLinksRequest
	Path       string // a name that ends in .gz or .zst is compressed
	Overwrite  bool   // replace an existing file; otherwise an existing file is an error
	Format     string // csv, tsv, json, ndjson, markdown, parquet, arrow or arrow_stream; empty chooses by the ending of Path
}

// pairTarget is a file that can be written, and the evaluation whose pairs are written.
type pairTarget struct {
	form  rowfile.Form
	trial *linkTrial
}

func exportPairsSchema() option.Schema[ExportPairsRequest] {
	type request = ExportPairsRequest
	return append(option.In(linksSchema(), func(r *request) *EvaluateLinksRequest { return &r.Evaluation }),
		engine.IntoFileFields(func(r *request) *bool { return &r.Overwrite }, func(r *request) *string { return &r.Format })...)
}

var exportPairs = &engine.Statement[*parser.ExportPairs, ExportPairsRequest, pairTarget, files.ExportResult]{
	Help: help.Statement{
		Statement: "EXPORT PAIRS",
		Summary:   "writes the pairs that EVALUATE LINKS measures with the same options, each with its label and all scores",
		Detail:    "Each has its kind of negatives, too, so that other programs can compute the same figures. Larger scores mean likelier edges, and distances are negated; with ranking it writes the recommendations. The file has one of the formats of INTO FILE",
		Words:     "test set negatives sklearn holdout train test split roc",
		Columns:   "file, pairs",
	},
	Schema: exportPairsSchema,
	Bind: func(b *engine.Binder, s *parser.ExportPairs) (req ExportPairsRequest) {
		linkMethods(b, &req.Evaluation, s.Graph, s.Methods)
		req.Path = b.Text(fault.Into, s.File)
		engine.Bind(b, parser.Heading(s), exportPairsSchema(), s.Options, &req)
		req.Evaluation.settle(b)
		return req
	},
	Resolve: resolveExportPairs,
	Plan: func(req ExportPairsRequest, found pairTarget) *plan.Plan {
		return engine.WrittenFile(found.form.Title, req.Path, planEvaluateLinks(req.evaluation(), found.trial))
	},
	Run:   runExportPairs,
	Table: export.Table[ExportPairsRequest],
	Reads: true,
}

// ExportPairs writes the pairs that EvaluateLinks measures for the same request, with all
// scores, so that the figures of EvaluateLinks can be computed from the file. It takes 8
// bytes of memory for each pair and scorer, or 24 for each recommendation.
func (s *Service) ExportPairs(ctx context.Context, req ExportPairsRequest) (files.ExportResult, error) {
	return exportPairs.Answer(ctx, s.db, req)
}

// evaluation is the evaluation without a null graph, of which the file has no pairs.
func (req ExportPairsRequest) evaluation() EvaluateLinksRequest {
	e := req.Evaluation
	e.WithoutNull = true
	return e
}

func resolveExportPairs(c *engine.Call, req ExportPairsRequest) (found pairTarget, err error) {
	if req.Evaluation.Splits > 1 {
		return found, fault.OfOption(splitsOption, "is %d, and a file has the pairs of one split", req.Evaluation.Splits).
			WithRemedy("export each by its seed")
	}
	if req.Evaluation.Null {
		return found, fault.OfOption(nullOption, "does not apply to a file, which has the pairs of the graph")
	}
	if found.trial, err = resolveEvaluateLinks(c, req.evaluation()); err != nil {
		return found, err
	}
	found.form, err = engine.ResolveIntoFile(c, engine.RowsRequest{Path: req.Path, Overwrite: req.Overwrite, Format: req.Format})
	return found, err
}

func runExportPairs(c *engine.Call, req ExportPairsRequest, found pairTarget) (files.ExportResult, error) {
	t := found.trial
	graph, release, err := linkGraph(c, req.evaluation(), t, true)
	if err != nil {
		return files.ExportResult{}, err
	}
	defer release()
	t.noteDirection(c)
	s, err := splitLinks(c, graph, graph.Graph, t.along, req.evaluation(), t.kinds, t.across)
	if err != nil {
		return files.ExportResult{}, err
	}
	table, err := makePairTable(c, req.evaluation(), t, s)
	if err != nil {
		return files.ExportResult{}, err
	}
	table.key = func(v uint32) rows.Value { return string(graph.AppendKey(nil, v)) }
	stop := c.Watch.Start(plan.Write)
	result := files.ExportResult{Path: req.Path}
	err = c.WriteFile(req.Path, req.Overwrite, func(out io.Writer) error {
		w := rowfile.New(out, found.form, table.columns, nil, export.GraphNotes(t.graph))
		err := table.rows(func(row []any) error {
			if result.Rows++; result.Rows%1024 == 0 && c.Ctx.Err() != nil {
				return c.Ctx.Err()
			}
			return w.Row(row)
		})
		if err != nil {
			return err
		}
		return w.Close()
	})
	stop(result.Rows, "")
	result.Notices = c.Notices
	return result, err
}

// pairTable has the columns and rows of the file. The function rows calls its argument
// with each row and stops at the first error, which it returns.
type pairTable struct {
	columns []string
	key     func(v uint32) rows.Value
	rows    func(each func(row []any) error) error
}

// makePairTable computes the columns and rows of the file.
func makePairTable(c *engine.Call, req EvaluateLinksRequest, t *linkTrial, s *linkSplits) (*pairTable, error) {
	if req.RankAt > 0 {
		r, err := rankMethods(c, req, t, s.base, true)
		if err != nil {
			return nil, err
		}
		return recommendedTable(t, s.base, r)
	}
	stop := c.Watch.Start(plan.Score)
	table := &pairTable{columns: []string{"negatives", "part", "label", "u", "v"}}
	scores := make([][]evaluate.PairScores, len(s.kinds))
	err := eachMethod(c, t, s.base, func(m methodVectors) error {
		opts := evaluate.LinkOptions{Scorers: m.scorers, Features: m.features, Models: m.models, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
		for i, split := range s.of {
			err := split.EachScore(c.Ctx, m.vectors, opts, func(p evaluate.PairScores) error {
				scores[i] = append(scores[i], p.Clone())
				if i == 0 {
					table.columns = append(table.columns, t.columnOf(m.number, p))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	stop(int64(len(scores[0])), "methods included")
	noteNegatives(c, t, len(s.base.Edges), s.pairs())
	table.rows = func(each func(row []any) error) error {
		for i := range s.kinds {
			if err := table.kind(string(s.kinds[i]), s.of[i], scores[i], each); err != nil {
				return err
			}
		}
		return nil
	}
	return table, nil
}

func (t *linkTrial) columnOf(method int, p evaluate.PairScores) string {
	name := scorerText(p.Scorer, p.Learned)
	if method >= 0 {
		name = t.methods[method].Method.Name + "." + name
	}
	return name
}

func (p *pairTable) kind(kind string, split *evaluate.LinkSplit, scores []evaluate.PairScores, each func(row []any) error) error {
	row := make([]any, 0, len(p.columns))
	for _, list := range []struct {
		part  string
		label int64
		pairs []csr.Edge
		of    func(evaluate.PairScores) []float64
	}{
		{"held_out", 1, split.Edges, func(s evaluate.PairScores) []float64 { return s.Edges }},
		{"held_out", 0, split.NonEdges, func(s evaluate.PairScores) []float64 { return s.NonEdges }},
		{"training", 1, split.TrainEdges, func(s evaluate.PairScores) []float64 { return s.TrainEdges }},
		{"training", 0, split.TrainNonEdges, func(s evaluate.PairScores) []float64 { return s.TrainNonEdges }},
	} {
		for i, e := range list.pairs {
			row = append(row[:0], kind, list.part, list.label, p.key(e.U), p.key(e.V))
			for _, s := range scores {
				row = append(row, cells.Number(list.of(s)[i]))
			}
			if err := each(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func recommendedTable(t *linkTrial, split *evaluate.LinkSplit, r linkRanking) (*pairTable, error) {
	held, err := split.Held()
	if err != nil {
		return nil, fmt.Errorf("held-out edges: %w", err)
	}
	table := &pairTable{columns: []string{"method", "scorer", "u", "v", "label", "rank", "score", "popular"}}
	texts := t.texts()
	table.rows = func(each func(row []any) error) error {
		for i, ranking := range r.list {
			method := methodCell(texts, r.methods[i])
			scorer, sign := scorerText(ranking.Scorer, ranking.Learned), 1.0
			if !ranking.Learned && !link.NewScoring(ranking.Scorer, nil).HigherIsLikelier {
				sign = -1
			}
			row := func(u, v uint32, label int64, rank, score rows.Value) error {
				popular := int64(0)
				if split.Graph.Degree(v) >= r.sample.PopularDegree {
					popular = 1
				}
				return each([]any{method, scorer, table.key(u), table.key(v), label, rank, score, popular})
			}
			for j, u := range r.sample.Vertices {
				if err := recommendedRows(u, ranking.Lists[j], held.Neighbors(u), sign, row); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return table, nil
}

// recommendedRows writes the rows of one vertex: its recommendations, and then
// its held-out neighbours that were not recommended, in ascending order.
func recommendedRows(u uint32, list []link.PredictedLink, held []uint32, sign float64, row func(u, v uint32, label int64, rank, score rows.Value) error) error {
	missed := slices.Clone(held)
	for i, l := range list {
		label := int64(0)
		if at := slices.Index(missed, l.V); at >= 0 {
			label, missed = 1, slices.Delete(missed, at, at+1)
		}
		if err := row(u, l.V, label, int64(i+1), cells.Number(sign*l.Score)); err != nil {
			return err
		}
	}
	for _, v := range missed {
		if err := row(u, v, 1, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
