package main

import (
	"fmt"
	"strings"
)

// Purposes of a search.
const (
	forReconstruction = "RECONSTRUCTION"
	forLinks          = "LINKS"
)

// search returns the statement of a search on a graph, over both families of
// methods of the paper, without any option set by hand. A search for links holds
// out other edges than the evaluation of its result.
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

// best returns the name of the embedding that a search makes. The name contains
// the limit of the search, so that evaluations of a search with another limit are
// not used for it.
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

// tuned returns the best trial that a search for reconstruction found on a graph;
// its call is "" until the search is in the journal.
func (e *experiment) tuned(d dataset) trial {
	t, _ := e.found(d, forReconstruction)
	return t
}

// tunedLinks returns the best trial that a search for links found, if the search
// is in the journal.
func (e *experiment) tunedLinks(d dataset) (trial, bool) { return e.found(d, forLinks) }

// found returns the best trial of a search, which is the first of its rows.
func (e *experiment) found(d dataset, purpose string) (trial, bool) {
	t := trial{use{"best found", asTuned, ""}, d, e.best(d, purpose)}
	rows := e.journal.done[e.search(d, purpose)].rows()
	if len(rows) == 0 {
		return t, false
	}
	t.call = fmt.Sprintf("%v(%v)", rows[0]["method"], rows[0]["options"])
	return t, true
}
