package engine

import (
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/storage/format"
)

// KeysEnding is appended to the name of a file whose rows have numbers, such as a matrix, to
// name the file of their keys.
const KeysEnding = ".keys"

// KeysOption is the option that names the file of keys of a file that has none.
const KeysOption = "keys"

// NoKeys is the value of the option keys for numbers instead of keys.
const NoKeys = "none"

// KeyList reads a file of keys into memory.
func KeyList(c *Call, path string) (*format.KeyList, error) {
	in, size, err := c.OpenInput(path, fault.File)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	opts := format.VectorOptions{Name: session.InputName(path), Size: size, MaxBytes: max(1, c.DB.Opts.MemoryLimit/8)}
	return format.ReadKeyList(c.Ctx, in, opts)
}
