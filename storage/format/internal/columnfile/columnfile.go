package columnfile

import "io"

// Kind is the type of the values of a column.
type Kind uint8

// The kinds. Timestamps count from 1970 in UTC.
const (
	Other     Kind = iota // cannot be read
	Boolean               // one bit
	Integer               // up to 64 bits, signed
	Unsigned              // 64 bits, unsigned
	Float                 // up to 32 bits
	Double                // 64 bits, or a decimal
	Text                  // bytes, usually UTF-8
	Days                  // a date
	Millis                // a timestamp in milliseconds
	Micros                // a timestamp in microseconds
	Nanos                 // a timestamp in nanoseconds
	FloatList             // a list of numbers, of 32 bits in files that are written
	TextList              // a list of texts
	Number                // 32 bits, unsigned: written as such, and read as Integer
)

// String names the kind in messages.
func (k Kind) String() string {
	return [...]string{
		"a type that is not read", "boolean", "integer", "unsigned integer", "float", "double", "text", "date",
		"timestamp", "timestamp", "timestamp", "list of numbers", "list of texts", "unsigned integer",
	}[k]
}

// IsList reports whether the values are lists.
func (k Kind) IsList() bool { return k == FloatList || k == TextList }

// MaxList is the largest number of items of one list that is read.
const MaxList = 1 << 20

// Column is a column of a file.
type Column struct {
	Name     string // for a nested column, the names from the root, joined by dots
	Kind     Kind
	Optional bool   // values may be missing
	Length   int    // of each list, if a writer knows it, for formats that have lists of one length; 0 otherwise
	Type     string // type in the file's own terms, for messages
}

// Readable returns an error of the kind ErrUnread for a column that cannot be read.
func (c Column) Readable() error {
	if c.Kind == Other {
		return &Error{Column: c.Name, Reason: "its type, " + c.Type + " in a form that is not read", Kind: ErrUnread}
	}
	return nil
}

// Limits bound the resources that reading a file may take. All must be above 0.
type Limits struct {
	Memory  int64 // bytes of memory for pages, dictionaries and the table of contents, at most
	Bytes   int64 // bytes of decoded values, at most
	Columns int   // columns of a file, at most
}

// Entry is a key of the metadata of a file with its text.
type Entry struct{ Key, Text string }

// WriteOptions configure a Writer. The zero value has the usual settings.
type WriteOptions struct {
	// RowGroup is about how many bytes of values, before compression, become a row group of
	// Parquet or a batch of Arrow; 0 means 64 MiB and 4 MiB. A writer holds one in memory until it
	// is full; readers that work in parallel or skip rows do so by them. Those of Parquet have
	// their own dictionaries each.
	RowGroup int64
}

// File is a file that is open for reading. It is not safe for concurrent use.
type File interface {
	// Rows is the number of rows.
	Rows() int64
	// Columns are the columns of the file, including nested ones. The slice must not be written.
	Columns() []Column
	// Entries are the metadata of the file. The slice must not be written.
	Entries() []Entry
	// Read returns the rows of the columns with these indexes; a column of the kind Other gives
	// an error of the kind ErrUnread. The rows of a file can be read only once.
	Read(columns ...int) (Rows, error)
}

// Rows are the rows of some columns of a file. Use them like this:
//
//	for rows.Next() {
//		use(rows.Text(0), rows.Double(1))
//	}
//	err := rows.Err()
//
// What the methods return is valid until the next call of Next. Columns have the numbers of
// their places in the call of Read.
type Rows interface {
	// Next moves to the next row.
	Next() bool
	// Row is the number of the current row, 1 for the first.
	Row() int64
	// Err is the error that ended the rows, or nil after the last one: an *Error, or one of the
	// io.ReaderAt.
	Err() error
	// Missing reports whether a column has no value in this row. An empty list is missing, too.
	Missing(i int) bool
	// Integer is the value of a column of integers, truth values, dates or timestamps.
	Integer(i int) int64
	// Double is the value of a column of numbers.
	Double(i int) float64
	// Text is the value of a column of texts.
	Text(i int) []byte
	// Floats is the value of a column of lists of numbers.
	Floats(i int) []float64
	// Items is the number of texts in the value of a column of lists of texts.
	Items(i int) int
	// Item is the text with the number j, from 0, of the value of a column of lists of texts.
	Item(i, j int) []byte
}

// Writer writes a file: for each row a value for each column, by number, and then
// EndRow. A column that gets no value is missing, which only an optional column may be, or
// an empty list. Columns stay in their order; the same rows give the same bytes.
type Writer interface {
	// Text sets the value of a column of texts, or adds one to the list of a column of lists of
	// texts; it copies the text.
	Text(column int, text []byte)
	// Integer sets the value of a column of integers, dates, timestamps or numbers without a sign.
	Integer(column int, x int64)
	// Float sets the value of a column of 32-bit floats.
	Float(column int, x float32)
	// Double sets the value of a column of 64-bit floats.
	Double(column int, x float64)
	// Boolean sets the value of a column of truth values.
	Boolean(column int, x bool)
	// Floats sets the value of a column of lists of numbers.
	Floats(column int, list []float32)
	// EndRow ends a row.
	EndRow() error
	// Close writes what is left and the footer. It does not close the io.Writer.
	Close() error
}

// Library reads and writes one format.
type Library struct {
	// Open reads the table of contents of a file of size bytes.
	Open func(in io.ReaderAt, size int64, limits Limits) (File, error)
	// Create begins a file of columns of the kinds Boolean, Integer, Float, Double, Text,
	// Millis, Days, Number, TextList and FloatList.
	Create func(out io.Writer, columns []Column, entries []Entry, opts WriteOptions) Writer
}

// libraries are what the imports of a program registered.
var libraries = map[Form]Library{}

// Register adds the library of a format. It is called when a program starts, by the init
// functions of packages.
func Register(form Form, l Library) { libraries[form] = l }

// Check returns an error of the kind ErrLibrary if the program has no library for a format.
func Check(form Form) error {
	if _, ok := libraries[form]; ok {
		return nil
	}
	name := form
	if form == ArrowStream {
		name = Arrow
	}
	return &Error{Reason: `the program reads and writes no ` + name.Title() + `, since it does not import _ "heavytail/storage/format/` + string(name) + `"`, Kind: ErrLibrary}
}

// Open opens a file of size bytes for reading.
func Open(form Form, in io.ReaderAt, size int64, limits Limits) (File, error) {
	if err := Check(form); err != nil {
		return nil, err
	}
	return libraries[form].Open(in, size, limits)
}

// NewWriter begins a file. Without a library the Writer has the error of Check.
func NewWriter(form Form, out io.Writer, columns []Column, entries []Entry, opts WriteOptions) Writer {
	if err := Check(form); err != nil {
		return noWriter{err}
	}
	return libraries[form].Create(out, columns, entries, opts)
}

// noWriter is the Writer of a program without a library.
type noWriter struct{ err error }

func (noWriter) Text(int, []byte)      {}
func (noWriter) Integer(int, int64)    {}
func (noWriter) Float(int, float32)    {}
func (noWriter) Double(int, float64)   {}
func (noWriter) Boolean(int, bool)     {}
func (noWriter) Floats(int, []float32) {}
func (w noWriter) EndRow() error       { return w.err }
func (w noWriter) Close() error        { return w.err }
