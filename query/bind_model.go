package query

import (
	"fmt"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/query/parser"
)

// This file binds the statements of models.

// trainOptions are the options of TRAIN MODEL.
func trainOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "features", Type: "text", Default: "'" + DefaultFeatures + "'", Doc: "what is read from the embedding, joined by +: those of " + strings.Join(featureNames(), ", ") + " that do not depend on the order of a pair; none by default without an embedding, or where a heuristic reads it"},
		{Name: "share", Type: "float", Default: fmt.Sprint(evaluate.DefaultShare), Doc: "share of the edges that are held out for the measures"},
		{Name: "latest", Type: "bool", Default: "TRUE", Doc: "hold out the edges with the latest timestamps, where the graph has any; otherwise edges at random"},
		{Name: "training", Type: "int", Default: fmt.Sprint(evaluate.DefaultTraining), Doc: "edges to learn from at most, held out as well, and as many pairs without one"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the edges and pairs that are drawn; the same seed gives the same model"},
	}
}

func (b *binder) trainModelStatement(s *parser.TrainModel) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partModel, s.Model)
	op := &trainModelOp{req: TrainModelRequest{Graph: s.Graph.Name, Name: s.Model.Name}, background: s.Background}
	if s.Embedding != nil {
		b.mark(partEmbedding, *s.Embedding)
		op.req.Embedding = s.Embedding.Name
	}
	for i, h := range s.Heuristics {
		b.mark(partScorer(i), h)
		op.req.Heuristics = append(op.req.Heuristics, h.Name)
	}
	set, err := b.settings("TRAIN MODEL", trainOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	training, err := set.within("training", 1, maxTraining)
	if err != nil {
		return nil, err
	}
	if share, given := set["share"]; given {
		if op.req.Share = share.(float64); !(op.req.Share > 0 && op.req.Share < 1) {
			return nil, mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", op.req.Share)
		}
	}
	op.req.Training, op.req.Seed, op.req.Features = int(training), set.seed(), set.text("features")
	info, err := b.graphInfo(op.req.Graph, partGraph)
	if err != nil {
		return nil, err
	}
	op.req.Latest = info.Timed
	if latest, given := set["latest"]; given {
		op.req.Latest = latest.(bool)
	}
	op.found, err = b.resolveTrainModel(op.req)
	return op, err
}

func (b *binder) dropModelStatement(s *parser.DropModel) (operation, error) {
	b.mark(partModel, s.Model)
	return &dropModelOp{s.Model.Name}, b.checkDropModel(s.Model.Name)
}

func (b *binder) describeModelStatement(s *parser.DescribeModel) (operation, error) {
	b.mark(partModel, s.Model)
	_, err := b.modelInfo(s.Model.Name, partModel)
	return &describeModelOp{s.Model.Name}, err
}
