package run

import (
	"context"

	"heavytail/embedding"
	"heavytail/embedding/unitball"
	"heavytail/storage/csr"
)

func unitBall() algorithm {
	summary := "a placement in which exactly the neighbours of a vertex are within distance 1"
	return method(unitball.Method, summary, ballFields(), ballOptions.validate, ballOptions.withDefaults, func(o ballOptions) prepared {
		p := prepared{
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) { return o.run(ctx, g, req) },
			renew: func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error) {
				return o.renew(ctx, g, workers, r)
			},
			bytes: o.bytes,
			seconds: func(ctx context.Context, g *csr.Graph, workers int) (float64, error) {
				return o.seconds(ctx, g, workers)
			},
		}
		if o.least {
			p.run = func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) { return o.leastDim(ctx, g, req) }
			widest, first := o, o
			widest.Dim, first.Dim = leastMost, leastFirst
			p.bytes = widest.bytes
			p.seconds = func(ctx context.Context, g *csr.Graph, workers int) (float64, error) {
				seconds, err := first.seconds(ctx, g, workers)
				return leastBisection * seconds, err
			}
		}
		return p
	})
}
