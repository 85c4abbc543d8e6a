package generate

import "errors"

// ErrOptions is wrapped by every fault that a Validate reports.
var ErrOptions = errors.New("invalid options")
