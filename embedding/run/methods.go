package run

import (
	"heavytail/embedding"
	"heavytail/embedding/option"
)

// algorithms are all methods, in the order of Methods.
func algorithms() []algorithm {
	return []algorithm{
		unitBall().found("exact embedding reconstruct sphere ball"),
		spectral(embedding.MethodDPSpectral, "largest eigenvectors of the degree-penalised matrix of edges or common neighbours").found("svd eigenvalues factorization paper scale free degree penalty hope"),
		spectral(embedding.MethodLaplacianEigenmaps, "largest eigenvectors of the normalised adjacency matrix").found("le spectral clustering svd eigenmaps umap"),
		fastRP().found("random projection gds fast"),
		proNE().found("propagation chebyshev svd fast"),
		netMF().found("matrix factorization deepwalk svd"),
		walks(embedding.MethodDPWalker, "skip-gram on walks that avoid vertices of high degree").found("random walk word2vec paper degree penalty"),
		walks(embedding.MethodDeepWalk, "skip-gram on uniform walks").found("random walk word2vec gensim skipgram"),
		walks(embedding.MethodNode2Vec, "skip-gram on walks that tend back or outwards").found("random walk word2vec gensim skipgram bfs dfs p q"),
	}
}

// Methods lists the methods, with the options of each in their order.
func Methods() []Method {
	var list []Method
	for _, a := range algorithms() {
		list = append(list, a.Method)
	}
	return list
}

// Instead returns the methods to use if the memory does not suffice for this one, or "" if
// its memory grows only with vertices and edges.
func Instead(method string) string {
	for _, a := range algorithms() {
		if a.Name == method {
			return a.Instead
		}
	}
	return ""
}

// Check returns the options in the order of the method, each with a value of its type, or an
// *option.Error for the first one that is unknown or has an invalid value, or a *MethodError for an
// unknown method.
func Check(method string, options []option.Given) ([]option.Given, error) {
	p, err := prepare(method, options)
	return p.given, err
}

func prepare(method string, options []option.Given) (prepared, error) {
	e := &MethodError{Method: method}
	for _, a := range algorithms() {
		if a.Name == method {
			return a.prepare(options)
		}
		e.Known = append(e.Known, a.Name)
	}
	return prepared{}, e
}
