package run

import (
	"context"

	"heavytail/embedding/unitball"
	"heavytail/storage/csr"
)

func unitBall() algorithm {
	summary := "a placement in which exactly the neighbours of a vertex are within distance 1"
	return method(unitball.Method, summary, BallSchema(), BallOptions.validate, BallOptions.withDefaults, func(o BallOptions) prepared {
		p := prepared{run: o.run, renew: o.renew, bytes: o.bytes, seconds: o.seconds}
		if o.Least {
			p.run = o.leastDim
			widest, first := o, o
			widest.Dim, first.Dim = leastMost, leastFirst
			p.bytes = widest.bytes
			p.seconds = func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				seconds, err := first.seconds(ctx, g, req)
				return leastBisection * seconds, err
			}
		}
		return p
	})
}
