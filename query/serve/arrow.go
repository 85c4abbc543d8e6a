package serve

import (
	"bytes"
	"strconv"

	"heavytail/query/files"
	"heavytail/query/rows"
)

// arrow returns functions that add a row to a stream of Arrow, and end the stream. A batch of the stream, of at
// most some 4 MiB, is in memory.
func (f *frames) arrow(table *rows.Rows) (add func([]rows.Value) error, finish func() error) {
	var waiting bytes.Buffer
	stream := files.NewArrowStream(&waiting, table.Columns(), table.ColumnTypes())
	send := func() error {
		if waiting.Len() == 0 {
			return nil
		}
		f.buffer = strconv.AppendInt(append(f.buffer, `,"arrow":`...), int64(waiting.Len()), 10)
		f.buffer = append(append(f.buffer, "}\n"...), waiting.Bytes()...)
		waiting.Reset()
		if !f.out.send(f.buffer) {
			return errClosed
		}
		f.begin()
		return nil
	}
	add = func(row []rows.Value) error {
		f.count++
		if err := stream.Row(row); err != nil {
			return err
		}
		if waiting.Len() < batchBytes {
			return nil
		}
		return send()
	}
	finish = func() error {
		if err := stream.Close(); err != nil {
			return err
		}
		return send()
	}
	return add, finish
}
