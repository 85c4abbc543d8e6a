package run

import "heavytail/embedding/option"

// StackEmbedding is an embedding that a model of links reads if the user names none.
type StackEmbedding struct {
	Method  string
	Options []option.Given
}

// StackEmbeddings returns the embeddings of a model of links for which none is named. All options that
// change the vectors are fixed here, so that the model does not depend on the defaults of
// the methods: of the distance, the cosine and the product of these vectors it is known how well they
// predict links.
func StackEmbeddings() []StackEmbedding {
	of := func(method string, options ...option.Given) StackEmbedding {
		return StackEmbedding{method, append([]option.Given{{Name: dimName, Value: int64(128)}}, options...)}
	}
	return []StackEmbedding{
		of("prone", option.Given{Name: "order", Value: int64(10)}, option.Given{Name: "mu", Value: 0.0}, option.Given{Name: "theta", Value: 0.5},
			option.Given{Name: "row_norm", Value: 1.0}, option.Given{Name: "row_scale", Value: 0.25}),
		of("fastrp", option.Given{Name: "beta", Value: -0.25}, option.Given{Name: "alpha1", Value: 0.0}, option.Given{Name: "alpha2", Value: 1.0},
			option.Given{Name: "alpha3", Value: 1.0}, option.Given{Name: "alpha4", Value: 0.0}, option.Given{Name: "row_norm", Value: 0.0}, option.Given{Name: "row_scale", Value: 0.25}),
		of("dp_spectral", option.Given{Name: "beta", Value: 1.5}, option.Given{Name: "common", Value: 1.0}, option.Given{Name: "normalization", Value: "strength"}, option.Given{Name: "scale", Value: 0.25},
			option.Given{Name: "row_scale", Value: 0.5}, option.Given{Name: "tolerance", Value: 1e-4}, option.Given{Name: "components", Value: "apart"}),
	}
}
