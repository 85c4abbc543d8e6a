package catalogue

import (
	"fmt"

	"heavytail/query/fault"
	"heavytail/storage"
)

// AutoText writes when an embedding is refreshed.
func AutoText(auto storage.AutoRefresh) string {
	switch {
	case auto.Changes > 0:
		return "after " + fault.Count(int64(auto.Changes), "change")
	case auto.Every > 0:
		return fmt.Sprintf("every %v", auto.Every)
	}
	return "off"
}
