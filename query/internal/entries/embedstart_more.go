package entries

import (
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// CheckOwnStart returns an Error for an embedding that began with the vectors of another one:
// computed again without the edges that a training hides, it would still know them.
func CheckOwnStart(info storage.EmbeddingInfo) error {
	start := engine.ValueOf(info.Options, storage.SettingStart)
	if start == "" {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s began with the vectors of %s, which know the edges that the training hides", fault.Quote(info.Name), fault.Quote(start)).
		WithRemedy("embed with start := 'deepwalk', which is computed again without them").WithErr(fault.ErrInvalid)
}
