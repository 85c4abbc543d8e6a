package entries

import (
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/storage"
)

// CheckComputed returns an Error for an imported embedding, where the embedding has to be
// computed again.
func CheckComputed(info storage.EmbeddingInfo) error {
	if info.Method != catalogue.MethodImported {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s was imported, so it cannot be computed again", fault.Quote(info.Name)).
		WithRemedy("IMPORT EMBEDDING replaces it by newer vectors").WithErr(fault.ErrInvalid)
}
