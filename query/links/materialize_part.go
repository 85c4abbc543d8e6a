package links

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file has MATERIALIZE PREDICTIONS in parts: each part has the links of consecutive
// vertices, which any process computes from the file that it only reads, and then all of them
// are stored at once. The links of a vertex do not depend on the parts.

// MaterializePartRequest asks for the links of some vertices, in a file: a line that names the
// format, a head that identifies the part, and for each vertex its links with their scores, in
// binary.
type MaterializePartRequest struct {
	MaterializeRequest
	First     int64 // number of the first vertex, from 0
	Count     int64 // number of vertices
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// MaterializePartsRequest asks to store the links of all parts.
type MaterializePartsRequest struct {
	MaterializeRequest
	// Parts open the files of MaterializePart, in the order of their vertices. Each is read
	// to its end, and an error of its Close counts.
	Parts []func() (io.ReadCloser, error)
}

var (
	materializePart = &engine.Statement[*parser.Materialize, MaterializePartRequest, *materializeEntry, files.ExportResult]{
		Help:    help.Statement{Statement: kindMaterialize},
		Resolve: resolveMaterializePart,
		Run:     runMaterializePart,
		Reads:   true,
	}
	materializeParts = &engine.Statement[*parser.Materialize, MaterializePartsRequest, *materializeEntry, MaterializeResult]{
		Help: help.Statement{Statement: kindMaterialize},
		Resolve: func(c *engine.Call, req MaterializePartsRequest) (*materializeEntry, error) {
			return resolveMaterialize(c, req.MaterializeRequest)
		},
		Run: runMaterializeParts,
	}
)

// MaterializeRequestOf returns the request of a statement without parameters. It returns the
// errors of EXPLAIN, and also works where the DB is open for reading.
func (s *Service) MaterializeRequestOf(ctx context.Context, statement *parser.Materialize) (MaterializeRequest, error) {
	return engine.InCall(ctx, s.db, kindMaterialize, func(c *engine.Call) (MaterializeRequest, error) {
		if statement == nil {
			return MaterializeRequest{}, fault.New(fault.Statement, "no statement is given")
		}
		b := c.Binder(nil)
		req := bindMaterialize(b, statement)
		if b.Err != nil {
			return req, b.Err
		}
		_, err := resolveMaterialize(c, req)
		return req, err
	})
}

// MaterializePart writes the links of some vertices to a file, for MaterializeParts. It only
// reads the DB. Rows of the result is the number of vertices.
func (s *Service) MaterializePart(ctx context.Context, req MaterializePartRequest) (files.ExportResult, error) {
	return materializePart.Answer(ctx, s.db, req)
}

// MaterializeParts stores the links of all vertices, which MaterializePart has written for the
// same request and the same version of the graph: the records are those of Materialize. Parts
// that are not of this version, of other options, incomplete or out of order are
// storage.ErrInvalid, and then nothing is stored.
func (s *Service) MaterializeParts(ctx context.Context, req MaterializePartsRequest) (MaterializeResult, error) {
	return materializeParts.Answer(ctx, s.db, req)
}

// maxParts is the largest number of parts of DivideMaterialize.
const maxParts = 1_000_000

// DivideMaterialize divides the vertices of a request into 1 to 1,000,000 parts of about the same
// work, and returns the number after the last vertex of each, ascending. It loads the graph.
func (s *Service) DivideMaterialize(ctx context.Context, req MaterializeRequest, parts int) ([]int64, error) {
	return engine.InCall(ctx, s.db, kindMaterialize, func(c *engine.Call) ([]int64, error) { return divideMaterialize(c, req, parts) })
}

func divideMaterialize(c *engine.Call, req MaterializeRequest, parts int) ([]int64, error) {
	if parts < 1 || parts > maxParts {
		return nil, fault.New(fault.Statement, "the number of parts is %d, and must be from 1 to %d", parts, maxParts)
	}
	found, err := resolveMaterialize(c, req)
	if err != nil {
		return nil, err
	}
	p, err := load(c, found.prediction, around{})
	if err != nil {
		return nil, err
	}
	predictor, release, err := predictor(c, p, false)
	if err != nil {
		return nil, err
	}
	defer release()
	// In addition to its steps each vertex takes some time, and the search for the nearest
	// vectors, which without an index reads all of them.
	each := uint64(64)
	if p.nearest.n > 0 && p.nearest.index == nil {
		each += uint64(p.graph.Graph.Vertices())
	} else if p.nearest.n > 0 {
		each += 64 * uint64(p.nearest.n)
	}
	steps, total := predictor.Steps(), uint64(0)
	for _, s := range steps {
		total += each + uint64(s)
	}
	ends := make([]int64, parts)
	next, before := 0, uint64(0)
	for i := range ends {
		hi, lo := bits.Mul64(total, uint64(i+1))
		until, _ := bits.Div64(hi, lo, uint64(parts)) // the product is at most total·parts
		for next < len(steps) && before+(each+uint64(steps[next]))/2 <= until {
			before += each + uint64(steps[next])
			next++
		}
		ends[i] = int64(next)
	}
	ends[parts-1] = int64(len(steps))
	return ends, nil
}

func resolveMaterializePart(c *engine.Call, req MaterializePartRequest) (*materializeEntry, error) {
	if err := cmp.Or(req.rows().Check(), c.CheckOutput(req.Path, req.Overwrite, fault.Into)); err != nil {
		return nil, err
	}
	return resolveMaterialize(c, req.MaterializeRequest)
}

// rows are the vertices whose links are written.
func (req MaterializePartRequest) rows() engine.RowRange {
	return engine.RowRange{First: req.First, Count: &req.Count}
}

func runMaterializePart(c *engine.Call, req MaterializePartRequest, found *materializeEntry) (files.ExportResult, error) {
	p, err := load(c, found.prediction, around{})
	if err != nil {
		return files.ExportResult{}, err
	}
	n := int64(p.graph.Graph.Vertices())
	end, err := req.rows().End(n)
	if err != nil {
		return files.ExportResult{}, err
	}
	predictor, release, err := predictor(c, p, false)
	if err != nil {
		return files.ExportResult{}, err
	}
	defer release()
	free, err := c.DB.Cache.Reserve(predictedBytes(p.K), "predicting links of graph "+fault.Name(p.graph.Info.Name))
	if err != nil {
		return files.ExportResult{}, err
	}
	defer free()
	head := partHeadOf(p.graph, p.made(), p.K)
	head.Capped, head.First, head.Count = noteCapped(c, predictor), req.First, req.Count
	scoring.NoteBipartite(c, p.graph, p.Sides, req.With)
	near, err := nearAll(c, p)
	if err != nil {
		return files.ExportResult{}, err
	}
	m := &materializing{loaded: p}
	stop := c.Watch.Start(plan.Score)
	err = c.WriteFile(req.Path, req.Overwrite, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<16)
		record, err := head.append(nil)
		if err != nil {
			return err
		}
		out.Write(record) // Flush returns the error
		err = predictBlocks(c, m, predictor, near, int(req.First), int(end), func(b predictedBlock) error {
			for _, links := range b.lists {
				record = appendLinks(record[:0], links)
				out.Write(record)
			}
			c.Meter.Update("predicting", int64(b.end)-req.First, req.Count)
			return nil
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
	if err != nil {
		return files.ExportResult{}, err
	}
	stop(req.Count, "")
	return files.ExportResult{Path: req.Path, Rows: req.Count, Notices: c.Notices}, nil
}

func runMaterializeParts(c *engine.Call, req MaterializePartsRequest, found *materializeEntry) (MaterializeResult, error) {
	g, err := c.Graph(found.graph.Name, fault.Graph)
	if err != nil {
		return MaterializeResult{}, err
	}
	result, err := engine.InJob(c, found.spec(req.MaterializeRequest, g.Info), func(embeddings.Checkpoints) (MaterializeResult, error) {
		return storeParts(c, req, found, g)
	})
	result.Reason, result.Notices = "from parts", c.Notices
	return result, err
}

func storeParts(c *engine.Call, req MaterializePartsRequest, found *materializeEntry, g *session.Graph) (result MaterializeResult, err error) {
	if len(req.Parts) == 0 {
		return result, fmt.Errorf("no parts: %w", storage.ErrInvalid)
	}
	want := partHeadOf(g, found.renewal.made, found.K)
	part, err := openPart(req.Parts[0])
	if err != nil {
		return result, err
	}
	// The open part is also closed if an error comes before its end.
	defer func() { err = errors.Join(err, part.close()) }()
	want.Capped = part.head.Capped
	info := storage.PredictionInfo{Scorer: found.scorer().String(), K: found.K, Options: found.with, Made: found.renewal.made}
	if want.Capped > 0 {
		info.Options = cappedOptions(found.with, want.Capped)
	}
	stop := c.Watch.Start(plan.Write)
	info, err = c.DB.Store.PutPredictions(c.Ctx, g.Snapshot, info, func(w *storage.PredictionWriter) error {
		for i, open := range req.Parts {
			if i > 0 {
				if part, err = openPart(open); err != nil {
					return err
				}
			}
			want.Count = part.head.Count
			if part.head != want {
				return fmt.Errorf("part %d is of %s, expected %s: %w", i, part.head, want, storage.ErrInvalid)
			}
			if err := part.each(w.Add); err != nil {
				return fmt.Errorf("part %d: %w", i, err)
			}
			if err := part.close(); err != nil {
				return err
			}
			want.First += want.Count
			c.Meter.Update("storing", want.First, want.Vertices)
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	stop(int64(info.Vertices), "")
	c.Job.Result("%d links of %d vertices, from %s", info.Links, info.Vertices, fault.Count(int64(len(req.Parts)), "part"))
	return MaterializeResult{PredictionInfo: info, Capped: want.Capped}, nil
}

// A part is a file: a line that names the format, the numbers of partHead, and then for each
// vertex the number of its links as uvarint, and for each link 4 bytes of the number of the
// other vertex and 8 of the score. Numbers are little-endian.
const partMagic = "heavytail predictions 1\n"

// partHead identifies a part. All fields are numbers of 8 bytes.
type partHead struct {
	Version, Modified int64 // of the graph; Modified in nanoseconds of Unix time
	Made              int64 // when the embedding or model was made, in the same unit; 0 if the scorer reads none
	Vertices          int64 // of the graph
	Top               int64 // most links of a vertex
	Capped            int64 // as in MaterializeResult
	First, Count      int64 // vertices of the part
}

func partHeadOf(g *session.Graph, made time.Time, top int) partHead {
	h := partHead{Version: int64(g.Info.Version), Modified: g.Info.Modified.UnixNano(), Vertices: int64(g.Info.Vertices), Top: int64(top)}
	if !made.IsZero() {
		h.Made = made.UnixNano()
	}
	return h
}

func (h partHead) append(b []byte) ([]byte, error) {
	return binary.Append(append(b, partMagic...), binary.LittleEndian, h)
}

// String describes a part in errors.
func (h partHead) String() string {
	return fmt.Sprintf("vertices %d to %d of %d, %d links each, version %d of %d, vectors of %d, %d vertices capped",
		h.First, h.First+h.Count, h.Vertices, h.Top, h.Version, h.Modified, h.Made, h.Capped)
}

func appendLinks(b []byte, links []storage.PredictedLink) []byte {
	b = binary.AppendUvarint(b, uint64(len(links)))
	for _, l := range links {
		b = binary.LittleEndian.AppendUint32(b, l.Vertex)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(l.Score))
	}
	return b
}

type partReader struct {
	head   partHead
	in     *bufio.Reader
	closer io.Closer // nil once it is closed
}

func openPart(open func() (io.ReadCloser, error)) (*partReader, error) {
	file, err := open()
	if err != nil {
		return &partReader{}, err
	}
	p := &partReader{in: bufio.NewReaderSize(file, 1<<16), closer: file}
	magic := make([]byte, len(partMagic))
	if _, err := io.ReadFull(p.in, magic); err != nil || string(magic) != partMagic {
		return p, errors.Join(partFault("its beginning", err), p.close())
	}
	if err := binary.Read(p.in, binary.LittleEndian, &p.head); err != nil {
		return p, errors.Join(partFault("its head", err), p.close())
	}
	return p, nil
}

func partFault(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it is only too short
	}
	return fmt.Errorf("part of predictions: %s is not as it was written: %w", what, errors.Join(storage.ErrInvalid, err))
}

// each calls f with the links of every vertex, which it must not keep. The file ends there.
func (p *partReader) each(f func([]storage.PredictedLink) error) error {
	const linkBytes = 4 + 8
	var links []storage.PredictedLink
	var record []byte
	for v := range p.head.Count {
		n, err := binary.ReadUvarint(p.in)
		if err != nil || n > uint64(p.head.Top) {
			return partFault(fmt.Sprintf("vertex %d", p.head.First+v), err)
		}
		record = slices.Grow(record[:0], int(n)*linkBytes)[:int(n)*linkBytes]
		if _, err := io.ReadFull(p.in, record); err != nil {
			return partFault(fmt.Sprintf("vertex %d", p.head.First+v), err)
		}
		links = links[:0]
		for at := 0; at < len(record); at += linkBytes {
			links = append(links, storage.PredictedLink{
				Vertex: binary.LittleEndian.Uint32(record[at:]),
				Score:  math.Float64frombits(binary.LittleEndian.Uint64(record[at+4:])),
			})
		}
		if err := f(links); err != nil {
			return err
		}
	}
	if _, err := p.in.ReadByte(); err != io.EOF {
		return partFault("its end", err)
	}
	return nil
}

func (p *partReader) close() error {
	if p.closer == nil {
		return nil
	}
	err := p.closer.Close()
	p.closer = nil
	return err
}
