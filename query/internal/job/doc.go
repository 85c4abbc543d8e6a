// Package job runs long work as jobs: one at a time on each target, saved at
// checkpoints from which it can continue, cancelled, queued in the background, and
// recorded in the store. It also starts the automatic refreshes that are due. It
// knows no statement and no language: a job is a Spec and a function.
//
// The Runner knows the active jobs of this process; the store has their records and
// checkpoints, which outlive it. Only one process can write a file, so that what
// keeps two jobs from writing one target is in the Runner, and needs no clock: the
// jobs of a process that died are over.
//
// Work runs as a job in Run, with a Spec that says what shapes the result. That gives
// it a context that Active.Cancel ends, checkpoints to save and to continue from, and
// progress to list. A new kind of job needs only these:
//
//   - The text of the spec, run again without parameters, does the same. Resuming a
//     job and the background run it.
//   - Whatever shapes the bytes and is not in the text is in the spec: the version of
//     the graph, and the options after defaults.
//
// A job within another one, as the last step of TUNE, is a part of that one.
package job
