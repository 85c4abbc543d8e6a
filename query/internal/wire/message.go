package wire

import (
	"time"

	"heavytail/query/rows"
	"heavytail/storage"
)

// Version is the number of the protocol.
const Version = 1

// MaxLine is the greatest length of a line that a server reads: a statement of the greatest length, written
// with escapes, and vectors as parameters.
const MaxLine = 4 << 20

// Message is a line from a client: a hello, a statement, data or a cancellation.
type Message struct {
	Hello int    `json:"hello,omitempty"` // the version of the protocol
	Token string `json:"token,omitempty"`

	ID        int64          `json:"id,omitempty"` // of the statement, chosen by the client
	Statement string         `json:"statement,omitempty"`
	Offset    int            `json:"offset,omitempty"` // position where the statement begins in its script
	Line      int            `json:"line,omitempty"`
	Column    int            `json:"column,omitempty"`
	Params    map[string]Any `json:"params,omitempty"`
	Format    string         `json:"format,omitempty"`   // Arrays, Objects or Arrow; empty is Arrays
	Deadline  float64        `json:"deadline,omitempty"` // seconds that the answer may take; 0 for the limit of the server
	ReadOnly  bool           `json:"read_only,omitempty"`
	Progress  bool           `json:"progress,omitempty"` // progress is wanted
	Input     bool           `json:"input,omitempty"`    // the client has data for IMPORT '-', which it sends when it is asked

	Plot    []string `json:"plot,omitempty"`    // in place of a statement: a picture, as the arguments of heavytail plot without the file say
	Picture string   `json:"picture,omitempty"` // its form, such as svg or text; the server knows them

	Data []byte `json:"data,omitempty"` // for the statement id, in base64
	Last bool   `json:"last,omitempty"` // no data follow

	Cancel int64 `json:"cancel,omitempty"` // id of the statement to cancel
}

// The formats of rows.
const (
	Arrays  = "arrays"  // an array of values
	Objects = "objects" // an object with a member for each column
	Arrow   = "arrow"   // a stream of Arrow, in frames with the number of the bytes that follow their line
)

// Greeting is the answer to a hello.
type Greeting struct {
	Heavytail int    `json:"heavytail"` // the version of the protocol
	File      string `json:"file"`      // absolute path
	Root      string `json:"root"`      // folder of the files that statements name
	ReadOnly  bool   `json:"read_only"`
	Error     *Error `json:"error,omitempty"`
}

// Frame is a line from a server, a part of the answer to the statement of its id.
type Frame struct {
	ID        int64         `json:"id"`
	Progress  *Progress     `json:"progress,omitempty"`
	Notices   []rows.Notice `json:"notices,omitempty"` // further ones
	Input     bool          `json:"input,omitempty"`   // the statement reads what the client has offered: it sends its data now
	Columns   []Column      `json:"columns,omitempty"`
	Continued bool          `json:"continued,omitempty"`
	Rows      [][]Any       `json:"rows,omitempty"`
	Arrow     int64         `json:"arrow,omitempty"` // so many bytes of a stream of Arrow follow the line
	End       *End          `json:"end,omitempty"`
	Error     *Error        `json:"error,omitempty"`
}

// Column describes a column of the rows.
type Column struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"` // text, integer, float or boolean; empty for several
	NotNull bool   `json:"not_null,omitempty"`
	Bytes   bool   `json:"bytes,omitempty"` // the values are numbers of bytes
}

// ColumnsOf describes the columns of rows.
func ColumnsOf(r *rows.Rows) []Column {
	list := make([]Column, len(r.Columns()))
	for i, name := range r.Columns() {
		t := r.ColumnTypes()[i]
		list[i] = Column{Name: name, NotNull: t.NotNull, Bytes: t.Bytes}
		if t.Type != 0 {
			list[i].Type = t.Type.String()
		}
	}
	return list
}

// Table returns the names and the types of columns.
func Table(columns []Column) ([]string, []rows.ColumnType) {
	names, types := make([]string, len(columns)), make([]rows.ColumnType, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		types[i] = rows.ColumnType{NotNull: c.NotNull, Bytes: c.Bytes}
		for _, t := range []storage.Type{storage.Text, storage.Integer, storage.Float, storage.Boolean} {
			if c.Type == t.String() {
				types[i].Type = t
			}
		}
	}
	return names, types
}

// End is the end of an answer without an error.
type End struct {
	Rows int64 `json:"rows"`
}

// Progress is rows.Progress in seconds.
type Progress struct {
	Statement string  `json:"statement"`
	Stage     string  `json:"stage"`
	Done      int64   `json:"done"`
	Total     int64   `json:"total,omitempty"`
	Unit      string  `json:"unit"`
	Elapsed   float64 `json:"elapsed"`
	Rate      float64 `json:"rate,omitempty"`
	Remaining float64 `json:"remaining,omitempty"`
}

// ProgressOf is the progress as a frame has it.
func ProgressOf(p rows.Progress) *Progress {
	return &Progress{p.Statement, p.Stage, p.Done, p.Total, p.Unit, p.Elapsed.Seconds(), p.Rate, p.Remaining.Seconds()}
}

// Of is the progress as a program has it.
func (p *Progress) Of() rows.Progress {
	return rows.Progress{
		Statement: p.Statement, Stage: p.Stage, Done: p.Done, Total: p.Total, Unit: p.Unit,
		Elapsed: Seconds(p.Elapsed), Rate: p.Rate, Remaining: Seconds(p.Remaining),
	}
}

// Seconds is a number of seconds as a duration; the longest one where it is more, and 0 where it is none.
func Seconds(s float64) time.Duration {
	const most = 1 << 33 // some 270 years
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}
