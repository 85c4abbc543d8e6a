package entries

import (
	"fmt"
	"strings"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// This file finds the indexes, models and predictions that were made from an
// embedding, and reports which of them become invalid when the embedding gets
// different vectors.

// dependents are the names of the indexes, models and predictions that were made from
// an embedding and are valid now.
type dependents struct{ indexes, models, predictions []string }

// DependentsOf finds what was made from an embedding.
func DependentsOf(c *engine.Call, embedding string) (dependents, error) {
	var d dependents
	indexes, err := IndexesOf(c, embedding)
	if err != nil {
		return d, err
	}
	for _, k := range indexes {
		d.indexes = append(d.indexes, k.Metric.String())
	}
	models, err := models(c)
	if engine.NotDamage(err) != nil {
		return d, err
	}
	reads := map[string]bool{}
	for _, m := range models {
		if m.ReadsEmbedding(embedding) {
			reads[m.Name] = true
			d.models = append(d.models, fault.Name(m.Name))
		}
	}
	predictions, err := predictions(c)
	if engine.NotDamage(err) != nil {
		return d, err
	}
	for _, p := range predictions {
		if w := ScorerOf(p.PredictionInfo); p.Stale == "" && (w.Embedding == embedding || w.Model != "" && reads[w.Model]) {
			d.predictions = append(d.predictions, p.Scorer+" in "+fault.Name(p.Graph))
		}
	}
	return d, nil
}

// String describes what happens to them when the vectors change; "" if there are none.
func (d dependents) String() string {
	var parts []string
	add := func(names []string, one, many, what string) {
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf("%s %s %s", one, names[0], what))
		default:
			parts = append(parts, fmt.Sprintf("%s %s %s", many, strings.Join(names, ", "), what))
		}
	}
	add(d.indexes, "index by", "indexes by", "will be built again")
	add(d.models, "model", "models", "must be trained again (TRAIN MODEL) if the method or options change")
	add(d.predictions, "predictions by", "predictions by", "must be computed again (REFRESH PREDICTIONS)")
	return strings.Join(parts, "; ")
}

// NoteReplaced gives a notice, before an embedding is computed again, of what the new
// vectors will invalidate. An embedding that does not exist yet has no dependents.
func NoteReplaced(c *engine.Call, embedding string) error {
	d, err := DependentsOf(c, embedding)
	if err != nil {
		return err
	}
	if text := d.String(); text != "" {
		c.Early("embedding %s is being replaced; unless the new vectors are the same: %s", fault.Name(embedding), text)
	}
	return nil
}

// NoteRetrain gives a notice of the models that must be trained again because the
// embedding has another method or other options.
func NoteRetrain(c *engine.Call, info storage.EmbeddingInfo) error {
	models, err := models(c)
	var names []string
	for _, m := range models {
		if m.ReadsEmbedding(info.Name) && m.Reads == catalogue.EmbeddingOther {
			names = append(names, fault.Name(m.Name))
		}
	}
	if len(names) > 0 {
		c.Notice("embedding %s has another method or options; train again: %s", fault.Name(info.Name), strings.Join(names, ", "))
	}
	return engine.NotDamage(err) // the statement that reads damaged ones reports it
}
