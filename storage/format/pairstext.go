package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// PairsText is the form of a text of pairs that can be cut at any line feed: a piece of it
// under Header, read with HeaderNames and Separator, has the same pairs as in the whole text.
type PairsText struct {
	Header    string // the line of column names, without line feed; source and target if the text has none
	Separator string // as in EdgeListOptions, found or given
	Start     int64  // offset of the first pair
}

// pairsHead is the number of bytes in which the first pair must be.
const pairsHead = 64 << 10

// PairsTextOf returns the form of a file of pairs, or nil if the file cannot be cut: it is
// compressed, is Parquet, has further columns, begins with a comment or an empty line, or its
// first pair cannot be read. It reads up to 64 KiB. A text has that form only if Cuttable
// reports true for all of it.
func PairsTextOf(ctx context.Context, r io.Reader, opts EdgeListOptions) (*PairsText, error) {
	head, err := io.ReadAll(io.LimitReader(r, pairsHead))
	if err != nil {
		return nil, err
	}
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	if !Cuttable(head) || bytes.HasPrefix(head, []byte("\x1f\x8b")) || bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) || bytes.HasPrefix(head, []byte("PAR1")) {
		return nil, ctx.Err()
	}
	p, err := firstPair(ctx, bytes.NewReader(head), opts)
	if err != nil || p.stats.Edges == 0 || p.first.number != 1 || len(p.furtherColumns()) > 0 {
		return nil, ctx.Err()
	}
	mark := len(head) - len(bytes.TrimPrefix(head, []byte(byteOrderMark)))
	text := &PairsText{Separator: string(p.sep.character()), Start: int64(mark)}
	if len(p.names) == 0 {
		text.Header = "source" + text.Separator + "target"
		return text, nil
	}
	end := bytes.IndexByte(head, '\n')
	text.Header, text.Start = string(bytes.TrimSuffix(head[mark:end], []byte("\r"))), int64(end+1)
	return text, nil
}

// Cuttable reports whether lines of a text of pairs can be read one by one: none of them can be
// a comment or a part of a field in quotes that contains line breaks.
func Cuttable(text []byte) bool {
	for _, c := range []byte(`"#%`) {
		if bytes.IndexByte(text, c) >= 0 {
			return false
		}
	}
	return true
}

// Span is a part of a file: the bytes from From up to To, which is not included.
type Span struct{ From, To int64 }

// ParseSpan parses two offsets with a hyphen between them, such as 0-4096.
func ParseSpan(text string) (Span, error) {
	from, to, _ := strings.Cut(text, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	end, endErr := strconv.ParseInt(to, 10, 64)
	if err != nil || endErr != nil || first < 0 || end < first {
		return Span{}, fmt.Errorf("%q is not two offsets with a hyphen between them, such as 0-4096", text)
	}
	return Span{first, end}, nil
}

// String is the text that ParseSpan parses.
func (s Span) String() string { return fmt.Sprintf("%d-%d", s.From, s.To) }

// PairsIn returns a reader of the pairs in a span of a text, and the options with which
// ReadPairs reads them as it would in the whole text. The text must have the form that
// PairsTextOf finds, and the span must begin and end between lines after its header; otherwise
// the error wraps ErrSpan. Of the lines outside the span only the first ones are read.
func PairsIn(ctx context.Context, r io.ReaderAt, size int64, span Span, opts EdgeListOptions) (io.Reader, EdgeListOptions, error) {
	form, err := PairsTextOf(ctx, io.NewSectionReader(r, 0, size), opts)
	if err != nil {
		return nil, opts, err
	}
	if form == nil {
		return nil, opts, fmt.Errorf("%s is not a plain text of two columns without quotes and comments: %w", opts.Name, ErrSpan)
	}
	if span.From < form.Start || span.To < span.From || span.To > size {
		return nil, opts, fmt.Errorf("%s has pairs in the bytes %d-%d, not in all of %s: %w", opts.Name, form.Start, size, span, ErrSpan)
	}
	for _, at := range []int64{span.From, span.To} {
		var before [1]byte
		if at == form.Start || at == size {
			continue
		}
		if _, err := r.ReadAt(before[:], at-1); err != nil {
			return nil, opts, err
		}
		if before[0] != '\n' {
			return nil, opts, fmt.Errorf("byte %d of %s is not the first one of a line: %w", at, opts.Name, ErrSpan)
		}
	}
	opts.Header, opts.Separator, opts.Size = HeaderNames, form.Separator, span.To-span.From
	return io.MultiReader(strings.NewReader(form.Header+"\n"), io.NewSectionReader(r, span.From, span.To-span.From)), opts, nil
}
