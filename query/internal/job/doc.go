// Package job runs long computations as jobs. At most one job at a time writes a
// target. Jobs save checkpoints from which they can continue, can be cancelled,
// can wait in a queue in the background, and are recorded in the store. The
// package also starts the automatic refreshes that are due. It does not depend on
// statements: a job is a Spec and a function.
//
// The Runner knows the active jobs of this process; the store has their records and
// checkpoints, which outlive it. Only one process can write a file, so the Runner
// alone can prevent two jobs from writing one target, and no timeout is needed: the
// jobs of a process that died have ended.
//
// Run runs a function as a job, with a Spec of everything that determines the result.
// The function gets a context that Active.Cancel ends, checkpoints to save and to
// continue from, and progress that is listed. A new kind of job must meet only two
// conditions:
//
//   - The text of the spec, run again without parameters, performs the same
//     computation: it is run when a job is resumed or runs in the background.
//   - Everything that determines the bytes of the result and is not in the text is in
//     the spec: the version of the graph, and the options after defaults.
//
// A job that runs within another job, as the last step of TUNE does, is a part of the
// outer job.
package job
