package embedding

import "errors"

// ErrOptions is wrapped by every error of an option that cannot be used; the
// text names the option, its value and what is allowed.
var ErrOptions = errors.New("embedding: invalid options")
