// Package generate makes random graphs: models of how networks grow, seeded, so
// that the same options give the same graph on every machine.
//
// Every model is a struct with its parameters, Validate, and Generate. So far
// there is PreferentialAttachment; Vázquez's local rules, Erdős–Rényi, the
// stochastic block model and Watts–Strogatz will join it as further structs.
package generate
