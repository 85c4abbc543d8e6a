package serve

import (
	"encoding/json"
	"io"
	"net"
	"sync"
	"time"

	"heavytail/query/internal/wire"
)

// output is where the frames of a client go.
type output struct {
	w     io.Writer
	conn  net.Conn // w, if it is a connection
	stall time.Duration
	gone  func() // called when w fails

	writing sync.Mutex // held while a frame is written
}

// fail sends an error.
func (o *output) fail(id int64, err error) {
	o.send(line(wire.Frame{ID: id, Error: wire.ErrorOf(err)}))
}

// send writes a frame. A client that does not read it for too long leaves.
func (o *output) send(frame []byte) bool {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.write(frame)
}

// trySend is send for what may be left out, if another frame is being written.
func (o *output) trySend(frame []byte) {
	if o.writing.TryLock() {
		defer o.writing.Unlock()
		o.write(frame)
	}
}

// write writes a frame in parts, each of which the client must read in time.
func (o *output) write(frame []byte) bool {
	const part = 64 << 10
	for len(frame) > 0 {
		if o.conn != nil {
			_ = o.conn.SetWriteDeadline(time.Now().Add(o.stall)) // the error comes with the write
		}
		n := min(len(frame), part)
		if _, err := o.w.Write(frame[:n]); err != nil {
			o.gone()
			if o.conn != nil {
				o.conn.Close()
			}
			return false
		}
		frame = frame[n:]
	}
	return true
}

// line is a value as a line.
func line(value any) []byte { return append(marshal(value), '\n') }

// marshal writes a value of package wire, none of which is an error.
func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
