package entries

import "heavytail/query/fault"

// CheckCurrent returns an Error for an embedding of an older version of the graph, with the reason.
func CheckCurrent(embedding string, behind uint64, reason string) error {
	if behind == 0 {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s is %s behind its graph%s", fault.Quote(embedding), fault.Count(int64(behind), "version"), reason).
		WithRemedy("REFRESH it first")
}
