// Package generate implements seeded models of random graphs. The same options give the same graph
// on every machine.
//
// Every model is a struct with its parameters that implements [Model]: [PreferentialAttachment] and
// [Vazquez] produce hubs; [ErdosRenyi], [StochasticBlock] and [WattsStrogatz] do not and serve for
// comparison.
package generate
