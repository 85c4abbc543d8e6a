package textfile

import (
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/storage/format"
)

// Header returns the option of a file of pairs.
func Header(b *engine.Binder, set bind.Settings) format.HeaderMode {
	text := set.Text("header")
	if text == "" {
		return format.HeaderAuto
	}
	mode, err := format.ParseHeader(text)
	b.Fail(err)
	return mode
}
