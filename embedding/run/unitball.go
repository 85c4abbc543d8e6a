package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/embedding/unitball"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

const leastWord = "least" // in place of a dim

func (o BallOptions) withDefaults() BallOptions {
	switch {
	case o.From != "":
		o.Begin = StartEmbedding
	case o.Begin == "":
		o.Begin = StartRandom
	}
	if o.Anchor == nil && o.Begin != StartRandom {
		o.Anchor = new(unitball.StartAnchor) // Start has no rows yet
	}
	o.Options = o.Options.WithDefaults()
	return o
}

// validate adds checks of the options that package unitball does not have.
func (o BallOptions) validate() error {
	if o.Least && (o.From != "" || o.Begin != "" && o.Begin != StartRandom) {
		return fmt.Errorf("%w: a search for the least dim begins with random vectors", unitball.ErrOptions)
	}
	if o.Begin == StartEmbedding && o.From == "" {
		return fmt.Errorf("%w: start_embedding names no embedding", unitball.ErrOptions)
	}
	if o.From != "" && o.Begin != "" && o.Begin != StartEmbedding {
		return fmt.Errorf("%w: a run has one start", unitball.ErrOptions)
	}
	return o.Validate()
}

func (o BallOptions) bytes(g *csr.Graph) int64 {
	bytes := unitball.Bytes(g, o.Options)
	if o.Begin == StartRandom {
		return bytes
	}
	bytes += 4 * int64(g.Vertices()) * int64(o.Dim)
	if o.Begin == StartEmbedding {
		return bytes
	}
	return max(bytes, embedding.WalkBytes(g, o.Begin, o.walks(0)))
}

func (o BallOptions) seconds(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
	o.Workers = req.Workers
	seconds, err := unitball.Seconds(ctx, g, o.Options)
	if err != nil || o.Begin == StartRandom || o.Begin == StartEmbedding {
		return seconds, err
	}
	walks, err := embedding.WalkSeconds(ctx, g, o.Begin, o.walks(req.Workers))
	return seconds + walks, err
}

// run computes the start, and then the placement. A checkpoint begins with the phase in
// which it was saved.
func (o BallOptions) run(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
	from, err := readPhase(req.Checkpoints.From)
	if err != nil {
		return outcome{}, err
	}
	if o.began = from.began; !from.places() {
		if err := o.setStart(ctx, g, req, from); err != nil {
			return outcome{}, err
		}
	}
	o.Workers, o.Checkpoints, o.Progress = req.Workers, ofPhase(req.Checkpoints, placingFrom(o.began), from), ballProgress(req.Progress)
	rows, stats, err := unitball.Embed(ctx, g, o.Options)
	if err != nil {
		return outcome{}, err
	}
	info, err := ballRecord(ctx, g, o, stats)
	return outcome{rows, info, ballState(stats.Wrong.Pairs())}, err
}

// ballMagic is the beginning of the state; the number of wrong pairs follows.
var ballMagic = [8]byte{'b', 'a', 'l', 'l', 's', 't', 'a', '1'}

// ballState writes the state that a renewal needs in addition to the rows.
func ballState(wrong int64) func(io.Writer) error {
	return func(w io.Writer) error {
		return binary.Write(w, binary.LittleEndian, ballHead{ballMagic, wrong})
	}
}

type ballHead struct {
	Magic [8]byte
	Wrong int64
}

func (o BallOptions) renew(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error) {
	var head ballHead
	if err := binary.Read(r.state, binary.LittleEndian, &head); err != nil || head.Magic != ballMagic || head.Wrong < 0 {
		return outcome{}, embedding.RefreshStats{}, fmt.Errorf("%w: it is none of unit_ball", embedding.ErrState)
	}
	old, added, err := r.rows()
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	o.Dim, o.Workers, o.Progress = r.info.Dim, workers, ballProgress(r.progress)
	begin := func(ctx context.Context) (*vec.Matrix, error) {
		err := o.setStart(ctx, g, Request{Workers: workers, Progress: r.progress, Stored: r.stored}, ballPhase{})
		return o.Start, err
	}
	rows, stats, refresh, err := unitball.Refresh(ctx, g, o.Options, begin, old, added, r.touched, head.Wrong)
	if err != nil {
		return outcome{}, refresh, err
	}
	if !refresh.Full {
		o.began = "" // these rows are not those of the full run
	}
	info, err := ballRecord(ctx, g, o, stats)
	return outcome{rows, info, ballState(stats.Wrong.Pairs())}, refresh, err
}

func ballProgress(progress func(stage string, done, total int64)) func(pass, passes int, w unitball.Wrong) {
	if progress == nil {
		return nil
	}
	return func(pass, passes int, w unitball.Wrong) { progress(ballStage(w), int64(pass), int64(passes)) }
}

// ballStage is the text of the progress of a pass. The part before the colon names
// the stage.
func ballStage(w unitball.Wrong) string {
	return "placing: " + ballWrong(w)
}

func ballWrong(w unitball.Wrong) string {
	return fmt.Sprintf("%d wrong pairs, %s", w.Pairs(), ballFigures(w))
}

func ballRecord(ctx context.Context, g *csr.Graph, o BallOptions, stats unitball.Stats) (storage.EmbeddingInfo, error) {
	w := stats.Wrong
	info := storage.EmbeddingInfo{
		Seed: o.Seed, Iterations: stats.Passes, Seconds: stats.Seconds,
		Stats: []storage.Setting{
			{Name: "wrong pairs", Value: strconv.FormatInt(w.Pairs(), 10)},
			{Name: "missed edges", Value: strconv.FormatInt(w.Missed, 10)},
			{Name: "false edges", Value: strconv.FormatInt(w.False, 10)},
			{Name: "precision", Value: number(w.Precision())},
			{Name: "recall", Value: number(w.Recall())},
			{Name: "passes", Value: strconv.Itoa(stats.Passes)},
			{Name: "joins", Value: strconv.Itoa(stats.Joins)},
			{Name: "reason", Value: stats.Reason},
		},
	}
	if o.began != "" {
		info.Stats = append(info.Stats, storage.Setting{Name: storage.SettingBegan, Value: o.began})
	}
	info.Stats = append(info.Stats, weighted(g, false)...)
	info.Stats = slices.DeleteFunc(info.Stats, func(s storage.Setting) bool { return s.Value == number(math.NaN()) }) // precision and recall of no pairs
	note, err := ballNote(ctx, g, o.Dim, w)
	info.Stats = append(info.Stats, storage.Setting{Name: "note", Value: note})
	return info, err
}

// ballFigures has the precision and the recall, as far as they are defined: no pair within
// distance 1 has no precision, and a graph without edges no recall.
func ballFigures(w unitball.Wrong) string {
	figures := make([]string, 0, 2)
	if p := w.Precision(); !math.IsNaN(p) {
		figures = append(figures, fmt.Sprintf("precision %.4f", p))
	}
	if r := w.Recall(); !math.IsNaN(r) {
		figures = append(figures, fmt.Sprintf("recall %.4f", r))
	}
	return strings.Join(figures, ", ")
}

// ballNote is the notice whether the placement is exact and, if it is not, what may
// help.
func ballNote(ctx context.Context, g *csr.Graph, dim int, w unitball.Wrong) (string, error) {
	if w.Pairs() == 0 {
		return fmt.Sprintf("no pair is wrong: exactly the %d edges are within distance 1", w.Edges), nil
	}
	pairs := "pairs are"
	if w.Pairs() == 1 {
		pairs = "pair is"
	}
	note := fmt.Sprintf("%d %s wrong within distance 1: %d of %d edges are missed, and %d pairs without an edge are nearer (%s)",
		w.Pairs(), pairs, w.Missed, w.Edges, w.False, ballFigures(w))
	least, err := evaluate.PackingDimension(ctx, g)
	if err != nil {
		return "", err
	}
	if least.ProvenAtLeast > dim {
		return note + fmt.Sprintf("; no placement in fewer than %d dimensions is exact, because the largest hub has %d neighbours without an edge between them",
			least.ProvenAtLeast, least.SetAtLeast), nil
	}
	return note + "; more passes or a larger dim may help", nil
}

// BallSchema returns the options of unit_ball.
func BallSchema() option.Schema[BallOptions] {
	type options = BallOptions
	return option.Schema[options]{
		dim("; 'least' searches for the smallest number, up to 256, with at most tolerance wrong pairs", func(o *options) *int { return &o.Dim }).
			OrWord(leastWord, func(o *options) *bool { return &o.Least }).Must("a whole number from 1 to 4096, or 'least'"),
		option.Choice("start", "vectors to begin with: random ones, those of a method with its defaults, or those of start_embedding", ballStarts,
			func(o *options) *string { return &o.Begin }).
			Must("'" + strings.Join(ballStarts, "' or '") + "'; with dim := 'least' only 'random'; 'embedding' needs start_embedding"),
		// The name keeps embeddings apart from methods, which may have the same names.
		option.String(storage.SettingStart, "embedding of the same graph whose vectors are the start; if it has more dimensions than dim, they are projected onto their principal axes; if fewer, random ones are added",
			func(o *options) *string { return &o.From }).
			Must("the name of an embedding of the graph, without another start and without dim := 'least'"),
		float("anchor", "how strongly vectors are kept near their start until a tenth of the passes is left; 0 lets them move freely; the default is 0.3 with any start except random", "a number from 0 to 100",
			func(o *options) **float64 { return &o.Anchor }),
		positive("margin", "smallest difference from 1 allowed for distances in the first three tenths of the passes; it then falls to 0", "a number above 0 and at most 0.5",
			func(o *options) *float64 { return &o.Margin }),
		count("passes", "passes over the violated pairs in each round; the run ends earlier with at most tolerance wrong pairs", 1, 1048576,
			func(o *options) *int { return &o.Passes }),
		count("rounds", "largest number of rounds; a further one begins with the best vectors if the last left at most three quarters of its wrong pairs, and the first at most one for four edges; 1 makes no other", 1, 1000,
			func(o *options) *int { return &o.Rounds }),
		positive("step", "approximate longest move of a vector in each of the first three tenths of the passes; it then falls to 0", "a number above 0 and at most 4",
			func(o *options) *float64 { return &o.Step }),
		float("balance", "how fast edges gain weight at vertices with more missing than false edges, and lose weight at other vertices", "a number from 0 to 1",
			func(o *options) **float64 { return &o.Balance }),
		option.Int("tolerance", "number of wrong pairs that is small enough to end the run", func(o *options) *int64 { return &o.Tolerance }).
			Must("a whole number of at least 0"),
		seed("seed of the random start, or of the walks of another start", func(o *options) *uint64 { return &o.Seed }),
	}
}

// number returns the shortest text that parses to x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
