package vectors

import (
	"heavytail/embedding"
	"heavytail/embedding/netmf"
	"heavytail/embedding/option"
	"heavytail/embedding/propagate"
	"heavytail/embedding/run"
	"heavytail/embedding/unitball"
)

// MethodOptions is an embedding method with its options as a struct: a [DPSpectral], [LaplacianEigenmaps],
// [FastRP], [ProNE], [NetMF], [DPWalker], [DeepWalk], [Node2Vec] or [UnitBall]. It is equivalent to a name and a map of
// settings: both are checked by the same schema of options, and the embedding gets the same record.
//
// A field that is zero or nil takes the default of the method, as an option that a
// statement leaves out; [Methods] and HELP list the defaults. Options whose default is
// not 0, but for which 0 is a valid value, are pointers: DPWalker{Beta: new(0.0)} walks
// without a penalty, and DPWalker{} with the default penalty. Tune keeps the fields that
// are set and searches the others. Fields that are no options of a statement, such as Workers,
// Progress and Checkpoints, are not used.
type MethodOptions interface {
	// Method returns the name of the method in the language, and the options that are set.
	Method() (name string, options []option.Given)
}

// DPSpectral has the options of dp_spectral: the largest eigenvectors of the
// degree-penalised matrix of edges or common neighbours.
type DPSpectral embedding.SpectralOptions

// Method implements MethodOptions.
func (o DPSpectral) Method() (name string, options []option.Given) {
	return embedding.MethodDPSpectral, run.SpectralSchema("").Given(embedding.SpectralOptions(o))
}

// LaplacianEigenmaps has the options of laplacian_eigenmaps: the largest eigenvectors of
// the normalised adjacency matrix. It refuses a Beta and a Normalization.
type LaplacianEigenmaps embedding.SpectralOptions

// Method implements MethodOptions.
func (o LaplacianEigenmaps) Method() (name string, options []option.Given) {
	return embedding.MethodLaplacianEigenmaps, run.SpectralSchema("").Given(embedding.SpectralOptions(o))
}

// FastRP has the options of fastrp: a sparse random projection of powers of the transition
// matrix.
type FastRP propagate.FastRPOptions

// Method implements MethodOptions.
func (o FastRP) Method() (name string, options []option.Given) {
	return propagate.MethodFastRP, run.FastRPSchema().Given(propagate.FastRPOptions(o))
}

// ProNE has the options of prone: a factorisation of a sparse matrix, propagated through a
// band of the spectrum.
type ProNE propagate.ProNEOptions

// Method implements MethodOptions.
func (o ProNE) Method() (name string, options []option.Given) {
	return propagate.MethodProNE, run.ProNESchema().Given(propagate.ProNEOptions(o))
}

// NetMF has the options of netmf: the exact factorisation of the matrix that deepwalk
// samples, for small graphs.
type NetMF netmf.Options

// Method implements MethodOptions.
func (o NetMF) Method() (name string, options []option.Given) {
	return netmf.Method, run.NetMFSchema().Given(netmf.Options(o))
}

// DPWalker has the options of dp_walker: skip-gram on walks that avoid vertices of high
// degree. It refuses P, Q and Direction.
type DPWalker embedding.WalkOptions

// Method implements MethodOptions.
func (o DPWalker) Method() (name string, options []option.Given) {
	return embedding.MethodDPWalker, run.WalkSchema("").Given(embedding.WalkOptions(o))
}

// DeepWalk has the options of deepwalk: skip-gram on uniform walks. It refuses Beta, Common, P and Q.
type DeepWalk embedding.WalkOptions

// Method implements MethodOptions.
func (o DeepWalk) Method() (name string, options []option.Given) {
	return embedding.MethodDeepWalk, run.WalkSchema("").Given(embedding.WalkOptions(o))
}

// Node2Vec has the options of node2vec: skip-gram on walks that tend back or outwards. It
// refuses Beta and Common.
type Node2Vec embedding.WalkOptions

// Method implements MethodOptions.
func (o Node2Vec) Method() (name string, options []option.Given) {
	return embedding.MethodNode2Vec, run.WalkSchema("").Given(embedding.WalkOptions(o))
}

// UnitBall has the options of unit_ball: a placement in which exactly the neighbours of a vertex
// are within distance 1.
type UnitBall run.BallOptions

// Method implements MethodOptions.
func (o UnitBall) Method() (name string, options []option.Given) {
	return unitball.Method, run.BallSchema().Given(run.BallOptions(o))
}
