package paper

import "fmt"

// Purposes of a search.
const (
	forReconstruction = "RECONSTRUCTION"
	forLinks          = "LINKS"
)

// search is the statement of a search on a graph, over both families of the
// paper, in which nothing is set by hand. That for links holds out other edges than
// those that judge its result.
func (e *experiment) search(d dataset, purpose string) string {
	options := fmt.Sprintf("budget := '%v', seed := 2", e.config.Budget)
	if e.config.Trials > 0 {
		options = fmt.Sprintf("trials := %d, seed := 2", e.config.Trials)
	}
	name := d.stored() + "_tuned"
	if purpose == forLinks {
		name += "_links"
		options = "share := 0.1, " + options
	}
	return fmt.Sprintf("TUNE %s FOR %s AS %s WITH (%s)", d.stored(), purpose, name, options)
}

// tuned is the trial of what a search for reconstruction found on a graph; its
// call is "" until the search is in the journal.
func (e *experiment) tuned(d dataset) trial {
	t, _ := e.found(d, forReconstruction)
	return t
}

// tunedLinks is the trial of what a search for links found, if it is in the
// journal.
func (e *experiment) tunedLinks(d dataset) (trial, bool) { return e.found(d, forLinks) }

// found is the best of a search: the first of its rows.
func (e *experiment) found(d dataset, purpose string) (trial, bool) {
	t := trial{use{"best found", asTuned, ""}, d}
	rows := e.journal.done[e.search(d, purpose)].rows()
	if len(rows) == 0 {
		return t, false
	}
	t.call = fmt.Sprintf("%v(%v)", rows[0]["method"], rows[0]["options"])
	return t, true
}
