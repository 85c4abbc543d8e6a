package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Part is a file that is written in sections, so that a writer that was stopped, even by kill
// -9, can continue after the last section. Until Commit the file has ".part" appended to its
// name. A second file, with ".part.state" appended, stores the caller's state; it is replaced
// in one step after a section was made durable. In a file whose name ends in .gz or .zst each
// section is a separate member or frame; readers of these formats join them to one text. The
// bytes do not depend on how often the writer was stopped. A Part is not safe for concurrent
// use.
type Part struct {
	path   string   // as errors name it
	dir    *os.Root // of the file
	base   string   // its name in dir
	file   *os.File // nil after Commit, Suspend or Discard
	buffer *bufio.Writer
	ends   int64 // bytes of the sections that are complete

	encoder io.WriteCloser // of the section, nil before its first byte
	err     error          // the first failed write
}

// PartEnding is appended to the name of a file for its Part, and stateEnding for the Part's
// state.
const (
	PartEnding  = ".part"
	stateEnding = PartEnding + ".state"
)

// CreatePart begins a file in sections that Commit will put at path. If folder is not nil, path
// is inside it. An existing part of this file gives ErrPart, unless overwrite is set, and
// ErrPartInUse if another writer has it open.
func CreatePart(folder *os.Root, path string, overwrite bool) (*Part, error) {
	p, err := newPart(folder, path)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	if overwrite {
		err = p.removeLeft()
	}
	if err == nil {
		p.file, err = p.dir.OpenFile(p.base+PartEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if errors.Is(err, fs.ErrExist) {
		err = ErrPart
	}
	if err == nil {
		err = claim(p.dir, p.file, p.base+PartEnding)
	}
	if err == nil {
		err = p.removeState() // of a part that is no longer there
	}
	if err != nil {
		if p.file != nil {
			closePart(p.file)
		}
		return nil, errors.Join(fmt.Errorf("create %s: %w", path+PartEnding, err), p.dir.Close())
	}
	p.buffer = bufio.NewWriterSize(p.file, fileBuffer)
	return p, nil
}

// OpenPart opens an unfinished part, truncates it after its last section, and returns the state
// that was stored with that section. If there is no part, or it has no section yet, the error
// wraps fs.ErrNotExist. If part and state do not match, it wraps ErrDamaged; if another writer
// has the part open, it wraps ErrPartInUse.
func OpenPart(folder *os.Root, path string) (*Part, []byte, error) {
	p, err := newPart(folder, path)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	state, err := p.resume()
	if err != nil {
		if p.file != nil {
			closePart(p.file)
		}
		return nil, nil, errors.Join(fmt.Errorf("open %s: %w", path+PartEnding, err), p.dir.Close())
	}
	p.buffer = bufio.NewWriterSize(p.file, fileBuffer)
	return p, state, nil
}

func newPart(folder *os.Root, path string) (*Part, error) {
	dir, err := openDir(folder, path)
	return &Part{path: path, dir: dir, base: filepath.Base(path)}, err
}

// stateHead is the first line of a state file: the number of bytes of all sections, and the
// checksum of this number and the state.
const stateHead = "heavytail part 1: %d bytes, checksum %08x\n"

func stateSum(bytes int64, state []byte) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%d\n%s", bytes, state), crc32.MakeTable(crc32.Castagnoli))
}

// resume opens the part and truncates it after its last section.
func (p *Part) resume() ([]byte, error) {
	text, err := p.dir.ReadFile(p.base + stateEnding)
	if err != nil {
		return nil, err
	}
	head, state, _ := bytes.Cut(text, []byte("\n"))
	var sum uint32
	if n, err := fmt.Sscanf(string(head)+"\n", stateHead, &p.ends, &sum); n != 2 || err != nil || p.ends < 0 || sum != stateSum(p.ends, state) {
		return nil, fmt.Errorf("its state: %w", ErrDamaged)
	}
	if p.file, err = p.dir.OpenFile(p.base+PartEnding, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	info, err := p.file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	if err := claim(p.dir, p.file, p.base+PartEnding); err != nil {
		return nil, err
	}
	if info.Size() < p.ends {
		return nil, fmt.Errorf("%d bytes where %d were written: %w", info.Size(), p.ends, ErrDamaged)
	}
	if err := p.file.Truncate(p.ends); err != nil {
		return nil, err
	}
	_, err = p.file.Seek(p.ends, io.SeekStart)
	return state, err
}

// Write adds bytes to the section. Its first error is kept and returned by later calls.
func (p *Part) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	if p.encoder == nil {
		if p.encoder, p.err = compressor(p.path, p.buffer); p.err != nil {
			return 0, p.err
		}
	}
	n, err := p.encoder.Write(b)
	if err != nil {
		p.err = fmt.Errorf("write %s: %w", p.path+PartEnding, err)
	}
	return n, p.err
}

// Section ends a section: it makes the written bytes durable and then stores state with them,
// from which OpenPart continues.
func (p *Part) Section(state []byte) error {
	if p.err != nil {
		return p.err
	}
	err := p.flush()
	if err == nil {
		err = p.note(state)
	}
	if err != nil {
		p.err = fmt.Errorf("write %s: %w", p.path+PartEnding, err)
	}
	return p.err
}

// flush makes the written bytes durable.
func (p *Part) flush() error {
	err := flush(p.encoder, p.buffer, p.file)
	if err != nil {
		return err
	}
	p.encoder = nil
	p.ends, err = p.file.Seek(0, io.SeekCurrent)
	return err
}

// note replaces the state in one step.
func (p *Part) note(state []byte) error {
	text := append(fmt.Appendf(nil, stateHead, p.ends, stateSum(p.ends, state)), state...)
	fresh := p.base + stateEnding + ".new"
	file, err := p.dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := p.dir.Rename(fresh, p.base+stateEnding); err != nil {
		return err
	}
	return syncDir(p.dir)
}

// Commit ends the last section and gives the file its name, as File.Commit does. If that fails,
// the part remains.
func (p *Part) Commit(overwrite bool) error {
	if p.err != nil {
		return errors.Join(p.err, p.Suspend())
	}
	if err := p.flush(); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", p.path+PartEnding, err), p.Suspend())
	}
	whole := File{path: p.path, dir: p.dir, base: p.base, tempName: p.base + PartEnding, overwrite: overwrite}
	if err := whole.place(); err != nil {
		return errors.Join(fmt.Errorf("create %s: %w", p.path, err), p.Suspend())
	}
	if err := p.removeFile(stateEnding); err != nil {
		return errors.Join(fmt.Errorf("create %s: %w", p.path, err), p.Suspend())
	}
	return errors.Join(syncName(p.dir, p.path), p.Suspend())
}

// Suspend closes the part and leaves it on disk for OpenPart. After Commit or Discard it does
// nothing.
func (p *Part) Suspend() error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(closePart(p.file), p.dir.Close())
	p.file = nil
	return err
}

// Discard closes the part and removes it.
func (p *Part) Discard() error {
	if p.file == nil {
		return nil
	}
	err := errors.Join(p.remove(), closePart(p.file), p.dir.Close())
	p.file = nil
	return err
}

// removeLeft removes the files of an earlier writer, unless another writer has them open.
func (p *Part) removeLeft() error {
	var err error
	p.file, err = p.dir.OpenFile(p.base+PartEnding, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return p.removeState()
	}
	if err == nil {
		err = claim(p.dir, p.file, p.base+PartEnding)
	}
	if err == nil {
		err = p.remove()
	}
	if p.file != nil {
		err = errors.Join(err, closePart(p.file)) // releases the lock only after the name was removed
		p.file = nil
	}
	return err
}

func (p *Part) remove() error {
	if err := p.removeState(); err != nil {
		return err
	}
	return p.removeFile(PartEnding)
}

func (p *Part) removeState() error {
	return errors.Join(p.removeFile(stateEnding+".new"), p.removeFile(stateEnding))
}

// removeFile removes a file next to the one to be written, if it exists.
func (p *Part) removeFile(ending string) error {
	if err := p.dir.Remove(p.base + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
