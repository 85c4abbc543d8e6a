package paper

import (
	"fmt"
	"strings"
)

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
	if purpose == forLinks {
		options = "share := 0.1, " + options
	}
	return fmt.Sprintf("TUNE %s FOR %s AS %s WITH (%s)", d.stored(), purpose, e.best(d, purpose), options)
}

// best is the name of the embedding that a search ends with. It has the limit of
// the search in it, so that what judged the result of another limit is not taken
// for what judges this one.
func (e *experiment) best(d dataset, purpose string) string {
	limit := fmt.Sprintf("%d_trials", e.config.Trials)
	if e.config.Trials == 0 {
		limit = strings.NewReplacer(".", "_", "µ", "u").Replace(e.config.Budget.String())
	}
	name := d.stored() + "_tuned_"
	if purpose == forLinks {
		name += "links_"
	}
	return name + limit
}

// searchCost guesses the seconds of a search: a trial is mostly one of the survey.
func (e *experiment) searchCost(d dataset) float64 {
	if e.config.Trials > 0 {
		return float64(e.config.Trials) * (0.2 + float64(d.vertices)/10_000)
	}
	return e.config.Budget.Seconds()
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
	t := trial{use{"best found", asTuned, ""}, d, e.best(d, purpose)}
	rows := e.journal.done[e.search(d, purpose)].rows()
	if len(rows) == 0 {
		return t, false
	}
	t.call = fmt.Sprintf("%v(%v)", rows[0]["method"], rows[0]["options"])
	return t, true
}
