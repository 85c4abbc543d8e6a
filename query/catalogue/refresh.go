package catalogue

// RefreshKind says how an embedding was brought up to date.
type RefreshKind string

// The kinds.
const (
	RefreshNone        RefreshKind = "none"        // no edge had changed; nothing was stored
	RefreshIncremental RefreshKind = "incremental" // computed from the previous vectors and the changes
	RefreshFull        RefreshKind = "full"        // more than half of the vertices were computed in full, as by EMBED
)
