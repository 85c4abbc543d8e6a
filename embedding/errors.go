package embedding

import "errors"

// ErrOptions is wrapped by every error of an option that cannot be used; the
// text names the option, its value and what is allowed.
var ErrOptions = errors.New("embedding: invalid options")

// ErrState is wrapped by the errors of a SpectralState that cannot be read.
var ErrState = errors.New("embedding: invalid state")
