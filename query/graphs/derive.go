package graphs

import (
	"context"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// DeriveResult is the answer of Derive.
type DeriveResult struct {
	Graph   storage.GraphInfo `json:"graph"`
	Seconds float64           `json:"seconds"`
	Notices []rows.Notice     `json:"notices,omitempty"`
}

var deriveGraph = &engine.Statement[*parser.DeriveGraph, DeriveRequest, derivation, DeriveResult]{
	Help:    createGraphHelp(),
	Schema:  createGraphSchema,
	Bind:    bindDerive,
	Resolve: resolveDerive,
	Plan:    planDerive,
	Run:     runDerive,
	Rows: func(_ DeriveRequest, r DeriveResult) *rows.Rows {
		return cells.RowsOf([]string{"graph", "vertices", "edges", "seconds"}, [][]rows.Value{{r.Graph.Name, int64(r.Graph.Vertices), r.Graph.Count(), r.Seconds}})
	},
}

func createGraphHelp() help.Statement {
	return help.Statement{
		Statement: "CREATE GRAPH",
		Summary:   "creates an empty graph, or with AS one from others: a part, sample, null model, forest, union or nearest neighbours",
		Detail:    "Vertices and edges keep their attributes. SUBGRAPH keeps the vertices that meet a condition and the edges between them, or only the edges whose weight, time, attributes, or ends by BOTH (…) or EITHER (…) meet the condition. COMPONENT keeps the largest component, or the component of a vertex. EGO keeps a vertex, the vertices up to n edges away (WITHIN, 1 by default), and the edges between them. SAMPLE draws random vertices or edges. NULL makes the null model: the same vertices with the same degrees, random edges, without weights, times and attributes; of a directed graph, the same in- and out-degrees. SPANNING FOREST keeps all vertices and, of each component, the edges that join it with the smallest sum of weights; of equal weights those between the vertices that came into the graph first. UNION combines several graphs; vertices with the same key are the same vertex, and it is directed if one of them is. NEAREST joins each vertex of an embedding with its n nearest and takes the similarities as weights; with MUTUAL it joins two vertices only if each is among the nearest of the other. UNDIRECTED is the undirected view of a directed graph, and REVERSED has its edges in the other direction; parts and samples of a directed graph are directed. IMPORT and GENERATE create their graphs themselves",
		Words:     "ego ego_graph egonet subgraph induced filter component sample null configuration model rewire shuffle union merge combine join intersect project projection copy knn graph minimum spanning tree mst kruskal backbone",
		Columns:   "with AS: graph, vertices, edges, seconds",
	}
}

func createGraphSchema() option.Schema[DeriveRequest] { return deriveSchema("") }

// Derive makes a graph from other graphs, with their attributes, but without the
// records of how COMPUTE made them. The name must be unused, or that of a graph
// that never had a vertex.
func (s *Service) Derive(ctx context.Context, req DeriveRequest) (DeriveResult, error) {
	return deriveGraph.Answer(ctx, s.db, req)
}

func derivationOf(how parser.Derivation) Derivation {
	return map[parser.Derivation]Derivation{
		parser.Subgraph: DeriveSubgraph, parser.Component: DeriveComponent, parser.Ego: DeriveEgo, parser.Sample: DeriveSample, parser.NullModel: DeriveNull,
		parser.Forest: DeriveForest, parser.Union: DeriveUnion, parser.NearestGraph: DeriveNearest, parser.Undirected: DeriveUndirected, parser.Reversed: DeriveReversed,
	}[how]
}

func bindDerive(b *engine.Binder, s *parser.DeriveGraph) DeriveRequest {
	req := DeriveRequest{Graph: b.Name(partNewGraph, s.Graph), How: derivationOf(s.How), condition: s.Where, Mutual: s.Mutual}
	if s.Using != nil {
		req.K = b.Size(fault.Number, s.Count)
		req.Embedding, req.Metric = search.Space(b, *s.Using)
		return req
	}
	for i, of := range s.Of {
		if i == 0 {
			req.Of = b.Name(fault.Graph, of)
		} else {
			req.Others = append(req.Others, b.Name(partOther(i-1), of))
		}
	}
	if s.Where != nil {
		vertices, edges := conditions.CompileSubgraph(b.Values, s.Where, b.Graph(req.Of))
		req.Where, req.EdgesWhere, req.Attributes, req.EdgeAttributes = vertices.Admits, edges.Admits, edges.Attributes, edges.OfEdges
	}
	if s.From != nil {
		req.From = b.VertexKey(fault.Vertex, s.From)
	}
	if s.Within != nil {
		req.Within = withinOf(b, s.Within)
	}
	engine.Bind(b, "CREATE GRAPH", deriveSchema(req.How), s.Options, &req)
	return req
}

func resolveDerive(c *engine.Call, req DeriveRequest) (found derivation, err error) {
	if err := engine.CheckNewGraph(c, req.Graph, partNewGraph); err != nil {
		return found, err
	}
	if req.K < 0 {
		return found, fault.New(fault.Number, "%d nearest vertices: the number must not be negative", req.K)
	}
	if req.How == DeriveNearest {
		return resolveNearestGraph(c, req)
	}
	if found.graph, err = c.GraphInfo(req.Of, fault.Graph); err != nil {
		return found, err
	}
	for i, other := range req.Others {
		info, err := c.GraphInfo(other, partOther(i))
		if err != nil {
			return found, err
		}
		found.others = append(found.others, info)
	}
	switch {
	case req.How == DeriveSubgraph && req.Where == nil && req.EdgesWhere == nil:
		return found, fault.New(fault.Where, "a subgraph needs a condition")
	case req.How == DeriveEgo && req.From == "":
		return found, fault.New(fault.Vertex, "an ego network needs a vertex")
	case req.Within < 0:
		return found, withinMistake(req.Within)
	case (req.How == DeriveUndirected || req.How == DeriveReversed) && !found.graph.Directed:
		return found, fault.New(fault.Graph, "graph %s is undirected", fault.Quote(found.graph.Name))
	case req.How == DeriveUnion:
		return found, checkUnion(req, found)
	case req.From != "":
		return found, c.CheckVertex(found.graph, req.From, fault.Vertex)
	}
	if err := session.CheckEdgeAttributes(found.graph, fault.Graph, req.EdgeAttributes...); err != nil {
		return found, err
	}
	return found, c.CheckReads(found.graph, fault.Graph, req.Attributes...)
}

func planDerive(req DeriveRequest, found derivation) *plan.Plan {
	of := fault.Name(found.graph.Name)
	for _, other := range found.others {
		of += ", " + fault.Name(other.Name)
	}
	inputs := []*plan.Plan{scan.Plan(found.graph, req.condition, session.AttributeNames(found.graph))}
	for _, other := range found.others {
		inputs = append(inputs, scan.Plan(other, nil, session.AttributeNames(other)))
	}
	if req.How == DeriveNearest {
		of = "embedding " + fault.Name(req.Embedding)
		inputs = []*plan.Plan{nearestGraphPlan(req, found)}
	}
	return plan.Result("graph", fault.Name(req.Graph)+", "+string(req.How)+" of "+of, inputs...)
}

func runDerive(c *engine.Call, req DeriveRequest, found derivation) (r DeriveResult, err error) {
	began := c.Meter.Now()
	var made derived
	switch req.How {
	case DeriveUnion:
		made, err = makeUnion(c, req, found)
	case DeriveNearest:
		made, err = nearestGraph(c, req, found)
	default:
		made, err = deriveFrom(c, req, found.graph)
	}
	if err != nil {
		return r, err
	}
	r.Graph, err = storeDerived(c, req.Graph, made)
	r.Seconds, r.Notices = c.Meter.Now().Sub(began).Seconds(), c.Notices
	return r, err
}
