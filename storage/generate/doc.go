// Package generate makes random graphs: models of how networks come about,
// seeded, so that the same options give the same graph on every machine.
//
// Every model is a struct with its parameters that implements [Model]:
// [PreferentialAttachment] and [Vazquez] grow hubs, [ErdosRenyi],
// [StochasticBlock] and [WattsStrogatz] have none, and are what to compare with.
package generate
