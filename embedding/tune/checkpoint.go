package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"heavytail/embedding"
)

// A search is a sequence of trials, and the next trial depends only on the scores of those
// before it. So its checkpoint is the list of the trials: a search that continues starts
// from the beginning, and takes the scores from the list, without computing embeddings,
// until the list ends.

// maxSaved bounds a checkpoint: a trial takes a few hundred bytes.
const maxSaved = 64 << 20

// savedVersion changes when a search has other trials than before: a checkpoint of another
// version is none.
const savedVersion = 4

type savedSearch struct {
	Version int          `json:"version"`
	Seconds float64      `json:"seconds"` // spent
	Trials  []savedTrial `json:"trials"`
}

// savedTrial is the stored form of a trial. Numbers are stored as text, since JSON has no
// NaN.
type savedTrial struct {
	Stage    uint8        `json:"stage"`
	Method   string       `json:"method"`
	Options  []savedValue `json:"options"`
	Score    string       `json:"score"`
	Measures []savedValue `json:"measures"`
	Refused  bool         `json:"refused"`
	Seconds  float64      `json:"seconds"`
}

type savedValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func saved(t Trial) savedTrial {
	s := savedTrial{
		Stage: uint8(t.Stage), Method: t.Method, Options: savedOptions(t.Options), Score: formatFloat(t.Score),
		Refused: t.Err != nil, Seconds: t.Seconds,
	}
	for _, m := range t.Measures {
		s.Measures = append(s.Measures, savedValue{m.Name, formatFloat(m.Value)})
	}
	return s
}

func savedOptions(options []Option) []savedValue {
	var list []savedValue
	for _, o := range options {
		text, isText := o.Value.(string)
		if x, isFloat := o.Value.(float64); isFloat && !isText {
			text = formatFloat(x)
		}
		list = append(list, savedValue{o.Name, text})
	}
	return list
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (s savedTrial) judgement() (Judgement, error) {
	score, err := strconv.ParseFloat(s.Score, 64)
	j := Judgement{Score: score}
	for _, m := range s.Measures {
		value, parseErr := strconv.ParseFloat(m.Value, 64)
		err = errors.Join(err, parseErr)
		j.Measures = append(j.Measures, Measure{m.Name, value})
	}
	return j, err
}

func readSearch(r io.Reader) (saved savedSearch, err error) {
	bytes, err := io.ReadAll(io.LimitReader(r, maxSaved+1))
	if err != nil {
		return saved, err
	}
	if len(bytes) > maxSaved {
		err = fmt.Errorf("more than %d bytes", maxSaved)
	} else {
		err = json.Unmarshal(bytes, &saved)
	}
	if err == nil && (saved.Version != savedVersion || !(saved.Seconds >= 0)) {
		err = fmt.Errorf("version %d of a search of %v seconds, and not version %d", saved.Version, saved.Seconds, savedVersion)
	}
	for i := 0; err == nil && i < len(saved.Trials); i++ {
		if t := saved.Trials[i]; t.Stage > uint8(Confirm) || t.Seconds < 0 {
			err = fmt.Errorf("trial %d is empty", i+1)
		} else {
			_, err = t.judgement()
		}
	}
	if err != nil {
		return savedSearch{}, fmt.Errorf("%w: %w", embedding.ErrCheckpoint, err)
	}
	return saved, nil
}

// resume loads the trials of a checkpoint, and counts the time of their search as spent.
func (s *search) resume() error {
	if s.opts.Checkpoints.From == nil {
		return nil
	}
	saved, err := readSearch(s.opts.Checkpoints.From)
	s.known = saved.Trials
	s.began = s.began.Add(-time.Duration(min(saved.Seconds, math.MaxInt32) * float64(time.Second)))
	return err
}

// recall returns the next trial from the checkpoint if the checkpoint has it. A trial that the
// method refused is run again, to obtain the reason.
func (s *search) recall(r request) (t Trial, found bool, err error) {
	i := len(s.trials)
	if i >= len(s.known) {
		return t, false, nil
	}
	k := s.known[i]
	options := r.branch.options(r.point)
	if Stage(k.Stage) != r.stage || k.Method != r.branch.method.Name || !slices.Equal(k.Options, savedOptions(options)) {
		return t, false, fmt.Errorf("%w: its trial %d is a different one", embedding.ErrCheckpoint, i+1)
	}
	if k.Refused {
		return t, false, nil
	}
	t = Trial{Number: i + 1, Method: k.Method, Options: options, Stage: Stage(k.Stage), Seconds: k.Seconds}
	t.Judgement, err = k.judgement()
	return t, err == nil, err
}

// save writes a checkpoint, if one is due or now is true.
func (s *search) save(now bool) error {
	c := s.opts.Checkpoints
	if c.Save == nil || len(s.trials) < len(s.known) || !now && time.Since(s.savedAt) < c.Every {
		return nil
	}
	list := savedSearch{Version: savedVersion, Seconds: time.Since(s.began).Seconds(), Trials: make([]savedTrial, len(s.trials))}
	for i, t := range s.trials {
		list.Trials[i] = saved(t)
	}
	err := c.Save(func(w io.Writer) error { return json.NewEncoder(w).Encode(list) })
	s.savedAt = time.Now()
	return err
}
