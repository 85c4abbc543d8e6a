// Package fault has the mistakes that users make in statements and requests, as
// errors with fields: which piece of the request is wrong and where its text is,
// what was found, what was expected, the nearest known name and the remedy. It
// also has how names and amounts are written in messages, so that nothing that
// came from data can control a terminal.
package fault
