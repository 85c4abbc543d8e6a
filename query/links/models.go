package links

import (
	"context"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/query/plan"
)

// Models lists the models of the file by name. One whose entry is damaged is left out,
// with a notice.
func (s *Service) Models(ctx context.Context) ([]catalogue.ModelSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW MODELS", entries.ListModels)
}

var dropModel = &engine.Statement[*parser.DropModel, string, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP MODEL",
		Summary:   "removes a model",
		Words:     "delete remove",
	},
	Bind: func(b *engine.Binder, s *parser.DropModel) string { return b.Name(entries.PartModel, s.Model) },
	Resolve: func(c *engine.Call, model string) (engine.Nothing, error) {
		_, err := entries.ModelInfo(c, model, entries.PartModel)
		return engine.Nothing{}, engine.NotDamage(err) // a damaged model can still be dropped
	},
	Plan: func(model string, _ engine.Nothing) *plan.Plan { return plan.Result("drop model", fault.Name(model)) },
	Run: func(c *engine.Call, model string, _ engine.Nothing) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropModel(c.Ctx, model)
	},
}

// DropModel removes a model.
func (s *Service) DropModel(ctx context.Context, model string) error {
	return engine.ErrorOf(dropModel.Answer(ctx, s.db, model))
}
