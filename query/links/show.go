package links

import "heavytail/embedding/link"

// Scorers lists the link scorers.
func Scorers() []link.Scorer { return link.Scorers() }
