// Package engine answers statements, of which it knows none. A Statement describes one: how its
// node in the syntax tree becomes the request of its typed method, which catalogue entries the
// request names, the plan, and the answer. The engine takes a text or a request through these
// steps to rows, or queues it as a job; and it has what statements of several families share:
// positions of mistakes, names, options, order, streams of rows, EXPLAIN, PROFILE and INTO FILE.
//
// A Call is one call of a method: the view of the file that package session gives, with the
// position of each piece of the request in its text. A DB is the open file as all calls share it.
package engine
