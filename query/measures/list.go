package measures

import (
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
)

// List lists the measures, grouped by topic.
func List() []Measure {
	list := slices.Concat(localList(), directionList(), spectralList(), hitsList(), pathList(), groupList())
	for i, m := range list {
		list[i].Options = m.schema.WithDefaults(m.defaults).Infos()
	}
	return list
}

// commonName is the name of the measure that other programs call name; empty if there is none.
func commonName(name string) string {
	return map[string]string{
		"harmonic_closeness": "harmonic", "closeness_centrality": "closeness", "diameter": "eccentricity", "radius": "eccentricity", "betweenness_centrality": "betweenness",
		"louvain": "community", "leiden": "community", "label_propagation": "community", "communities": "community", "modularity": "community",
		"wcc": "component", "connected_components": "component", "components": "component",
		"kcore": "core", "k_core": "core", "core_number": "core", "coreness": "core", "page_rank": "pagerank", "personalized_pagerank": "pagerank",
		"scc": "strong_component", "strongly_connected_components": "strong_component", "weakly_connected_components": "component", "weak_component": "component",
		"hits": "authority", "authorities": "authority", "hubs": "hub", "indegree": "in_degree", "outdegree": "out_degree",
		"clustering_coefficient": "clustering", "triangle_count": "triangles", "eigen_centrality": "eigenvector", "katz_centrality": "katz",
	}[name]
}

func findMeasure(name string) (Measure, error) {
	m, err := engine.FindNamed("measure", List(), func(m Measure) string { return m.Name }, name)
	var unknown *fault.Error
	if errors.As(err, &unknown) {
		if other := commonName(name); other != "" {
			unknown.Nearest, unknown.Expected = other, nil
		}
	}
	return m, err
}
