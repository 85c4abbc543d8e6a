package graphfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/writing"
)

// ReadKeys reads a file of keys as written by vectorfile.WriteKeys, plain or compressed, and calls yield
// for each key in order. The file has one key per line, or is CSV under the header "vertex" or "key". A
// byte order mark before the first key is not part of it. A key
// that is empty, longer than opts.MaxKey bytes, not UTF-8 or that contains NUL gives a
// *format.LineError. Of the options, only Name, MaxKey and MaxBytes are used. The key is valid only
// during the call.
func ReadKeys(ctx context.Context, r io.Reader, opts format.VectorOptions, yield func(key []byte) error) error {
	limits := format.EdgeListOptions{Name: opts.Name, MaxKey: opts.MaxKey, MaxBytes: opts.MaxBytes}
	if err := limits.Validate(); err != nil {
		return err
	}
	limits = limits.WithDefaults()
	f := feed.Start(ctx, r, &limits, false)
	defer f.Close()
	text := bufio.NewReaderSize(feed.NewReader(f), limits.MaxKey+len("\r\n"))
	if start, _ := text.Peek(len(tokens.ByteOrderMark)); string(start) == tokens.ByteOrderMark {
		text.Discard(len(tokens.ByteOrderMark))
	}
	start, _ := text.Peek(len(writing.VertexHeader) + len("\r\n"))
	if header, _, ended := bytes.Cut(start, []byte("\n")); ended && writing.IsKeysHeader(string(bytes.TrimSuffix(header, []byte("\r")))) {
		limits.Separator, limits.Header = ",", format.HeaderNames
		_, err := Read(ctx, text, format.Options{EdgeListOptions: limits, Layout: format.LayoutVertices}, format.Handler{
			Vertex: func(key []byte, _ [][]byte) error { return yield(key) },
		})
		return err
	}
	for line := int64(1); ; line++ {
		key, err := text.ReadSlice('\n')
		if err == io.EOF && len(key) == 0 {
			return nil
		}
		reason := ""
		switch {
		case errors.Is(err, feed.ErrTooLong):
			return &format.LineError{File: opts.Name, Line: line, Column: 1, Reason: fmt.Sprintf("the file exceeds the limit of %d bytes", limits.MaxBytes), Kind: format.ErrLimit}
		case errors.Is(err, bufio.ErrBufferFull):
			reason = fmt.Sprintf("the key has more than %d bytes", limits.MaxKey)
		case err != nil && err != io.EOF:
			return err
		}
		key = bytes.TrimSuffix(bytes.TrimSuffix(key, []byte("\n")), []byte("\r"))
		if f := fault.OfEncoding(key); f.Found() {
			reason = f.Reason
		} else if len(key) == 0 {
			reason = "the key is empty"
		}
		if reason != "" {
			return &format.LineError{File: opts.Name, Line: line, Column: 1, Reason: reason, Kind: format.ErrSyntax}
		}
		if err := yield(key); err != nil {
			return err
		}
	}
}

// ReadKeyList reads a file of keys like ReadKeys. It uses 8 bytes of memory per key in addition
// to the text of the keys.
func ReadKeyList(ctx context.Context, r io.Reader, opts format.VectorOptions) (*format.KeyList, error) {
	k := &format.KeyList{}
	err := ReadKeys(ctx, r, opts, func(key []byte) error {
		k.Append(key)
		return nil
	})
	return k, err
}
