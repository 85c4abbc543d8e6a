package columnfile

import "strings"

// Form is a format of files whose rows are stored by column.
type Form string

// The formats.
const (
	Parquet     Form = "parquet"
	Arrow       Form = "arrow"        // the file format of Arrow IPC, which is version 2 of Feather
	ArrowStream Form = "arrow_stream" // the streaming format of Arrow IPC
)

// Title names the format in messages.
func (f Form) Title() string {
	switch f {
	case Parquet:
		return "Parquet"
	case Arrow:
		return "Arrow"
	case ArrowStream:
		return "Arrow stream"
	}
	return string(f)
}

// starts are the first bytes of files: the magic numbers of files, and the mark of the first message of
// a stream of Arrow, which is neither UTF-8 nor UTF-16 with a byte order mark.
var starts = []struct {
	text string
	form Form
}{{"PAR1", Parquet}, {"ARROW1", Arrow}, {"\xff\xff\xff\xff", ArrowStream}}

// MaxStart is the number of bytes that FormOf needs.
const MaxStart = 6

// FormOf returns the format of a file that begins with these bytes; empty if it has none of these.
func FormOf(start []byte) Form {
	for _, s := range starts {
		if strings.HasPrefix(string(start[:min(len(start), MaxStart)]), s.text) {
			return s.form
		}
	}
	return ""
}
