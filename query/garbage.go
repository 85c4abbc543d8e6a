package query

import "heavytail/query/internal/session"

// Garbage is the most garbage, in bytes, that the estimates of memory assume in a heap in which so many
// bytes are in use. They are right for a process that calls [runtime/debug.SetGCPercent] with 100 times
// the quotient of both, as the command does; with Go's default a heap can become twice as large.
func Garbage(used int64) int64 { return session.Garbage(used) }
