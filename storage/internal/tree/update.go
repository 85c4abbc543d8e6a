package tree

import "errors"

// errPanicked rolls back the transaction of a function that panicked.
var ErrPanicked = errors.New("the function panicked")
