package format

import (
	"bytes"
	"context"
	"io"
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
	mark := len(head) - len(bytes.TrimPrefix(head, []byte("\ufeff")))
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
