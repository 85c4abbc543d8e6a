package run

import (
	"encoding/binary"
	"fmt"
	"io"

	"heavytail/embedding"
)

// Phases of a run of unit_ball, as its checkpoints name them.
const (
	noPhase = iota
	walking
	placing
	placingStored // placing that began with a stored embedding, whose description follows
)

// ballPhase is the beginning of a checkpoint: the phase in which it was saved, and the
// description of the embedding with whose vectors the run began. The vectors themselves
// are not needed any more.
type ballPhase struct {
	at    byte
	began string
}

// placingFrom is the phase of a placement.
func placingFrom(began string) ballPhase {
	if began == "" {
		return ballPhase{at: placing}
	}
	return ballPhase{placingStored, began}
}

// places reports whether a run is in the phase after its start was computed.
func (p ballPhase) places() bool { return p.at == placing || p.at == placingStored }

func (p ballPhase) write(w io.Writer) error {
	if _, err := w.Write([]byte{p.at}); err != nil || p.at != placingStored {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint16(len(p.began))); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.began)
	return err
}

// readPhase reads in which phase a checkpoint was saved.
func readPhase(from io.Reader) (p ballPhase, err error) {
	if from == nil {
		return p, nil
	}
	if err := binary.Read(from, binary.LittleEndian, &p.at); err != nil {
		return p, fmt.Errorf("%w: %w", embedding.ErrCheckpoint, err)
	}
	if p.at == noPhase || p.at > placingStored {
		return p, fmt.Errorf("%w: it is of phase %d", embedding.ErrCheckpoint, p.at)
	}
	if p.at != placingStored {
		return p, nil
	}
	var size uint16
	if err := binary.Read(from, binary.LittleEndian, &size); err != nil {
		return p, fmt.Errorf("%w: %w", embedding.ErrCheckpoint, err)
	}
	began := make([]byte, size)
	if _, err := io.ReadFull(from, began); err != nil {
		return p, fmt.Errorf("%w: %w", embedding.ErrCheckpoint, err)
	}
	p.began = string(began)
	return p, nil
}

// ofPhase returns the checkpoints of one phase of a run; from is the phase in which
// the run continues.
func ofPhase(c embedding.Checkpoints, phase, from ballPhase) embedding.Checkpoints {
	own := behind(c, phase.write)
	if from == phase {
		own.From = c.From
	}
	return own
}

// behind returns checkpoints that are saved behind what head writes, and are not continued.
func behind(c embedding.Checkpoints, head func(io.Writer) error) embedding.Checkpoints {
	own := embedding.Checkpoints{Every: c.Every}
	if c.Save != nil {
		own.Save = func(write func(io.Writer) error) error {
			return c.Save(func(w io.Writer) error {
				if err := head(w); err != nil {
					return err
				}
				return write(w)
			})
		}
	}
	return own
}
