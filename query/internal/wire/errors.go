package wire

import (
	"context"
	"errors"
	"fmt"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
)

// The errors of serving itself. Package remote exports them.
var (
	ErrLost    = errors.New("the server has ended the connection")
	ErrStopped = errors.New("the server is stopping")
	ErrBusy    = errors.New("too much at once")
	ErrRequest = errors.New("invalid request")
	ErrToken   = errors.New("the token is missing or wrong")
)

// Error is an error as a line of JSON has it. Message is all of it as a text; the other fields are for
// programs, and their meaning is that of the errors in Go.
type Error struct {
	Kind    string   `json:"kind"` // see encode
	Message string   `json:"message"`
	Codes   []string `json:"codes,omitempty"` // sentinels that errors.Is finds, such as storage.ErrNotFound

	Start *Place `json:"start,omitempty"`
	Limit *Place `json:"end,omitempty"` // behind the last character

	Text     string    `json:"text,omitempty"` // the message of a mistake alone
	Found    string    `json:"found,omitempty"`
	Expected []string  `json:"expected,omitempty"`
	Nearest  string    `json:"nearest,omitempty"`
	Remedy   string    `json:"remedy,omitempty"`
	Option   string    `json:"option,omitempty"`
	Options  []Advised `json:"options,omitempty"`
	At       string    `json:"at,omitempty"`

	Statement string `json:"statement,omitempty"`
	Field     string `json:"field,omitempty"`
	Value     string `json:"value,omitempty"`
	What      string `json:"what,omitempty"`
	Need      int64  `json:"need,omitempty"`
	Most      int64  `json:"limit,omitempty"`
	Unit      string `json:"unit,omitempty"`
	Job       uint64 `json:"job,omitempty"`
	State     string `json:"state,omitempty"`
	File      string `json:"file,omitempty"`
	Pairs     int64  `json:"pairs,omitempty"`

	Cause  *Error   `json:"cause,omitempty"`
	Joined []*Error `json:"joined,omitempty"`
}

// Place is a position in the text of a statement.
type Place struct {
	Offset int `json:"offset"` // bytes before it
	Line   int `json:"line"`   // from 1
	Column int `json:"column"` // in characters, from 1
}

// Advised is an option that avoids an error.
type Advised struct {
	Purpose string `json:"purpose"`
	Option  string `json:"option"`
	Value   string `json:"value,omitempty"`
}

// The kinds of errors.
const (
	kindSyntax    = "syntax"    // *parser.Error
	kindMistake   = "mistake"   // *fault.Error
	kindStatement = "statement" // *fault.StatementError
	kindField     = "field"     // *fault.FieldError
	kindLimit     = "limit"     // *fault.LimitError
	kindJob       = "job"       // *fault.JobError
	kindPart      = "part"      // *fault.PartError
	kindJoined    = "joined"    // of errors.Join
	kindOther     = "other"
)

// ErrorOf is an error as JSON has it; nil for nil.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Message: err.Error(), Codes: codesOf(err)}
	switch err := err.(type) {
	case *parser.Error:
		e.Kind, e.Text, e.Found, e.Expected, e.Nearest, e.Remedy = kindSyntax, err.Message, err.Found, err.Expected, err.Nearest, err.Remedy
		e.place(err.Range)
	case *fault.Error:
		e.Kind, e.Text, e.Found, e.Expected, e.Nearest, e.Remedy = kindMistake, err.Message, err.Found, err.Expected, err.Nearest, err.Remedy
		e.Option, e.At, e.Cause = err.Option, string(err.At), ErrorOf(err.Err)
		for _, o := range err.Options {
			e.Options = append(e.Options, Advised(o))
		}
		e.place(err.Range)
	case *fault.StatementError:
		e.Kind, e.Statement, e.Cause = kindStatement, err.Statement, ErrorOf(err.Err)
	case *fault.FieldError:
		e.Kind, e.Field, e.Value, e.Text = kindField, err.Field, fmt.Sprint(err.Value), err.Message
	case *fault.LimitError:
		e.Kind, e.What, e.Need, e.Most, e.Unit, e.Field = kindLimit, err.What, err.Need, err.Limit, err.Unit, err.Field
	case *fault.JobError:
		e.Kind, e.Job, e.State, e.Cause = kindJob, err.Job, string(err.State), ErrorOf(err.Err)
	case *fault.PartError:
		e.Kind, e.File, e.Pairs, e.Cause = kindPart, err.File, err.Pairs, ErrorOf(err.Err)
	default:
		e.other(err)
	}
	return e
}

// other describes an error of another type: what it joins, or the first error in it that has fields.
func (e *Error) other(err error) {
	e.Kind = kindOther
	switch inner := err.(type) {
	case interface{ Unwrap() []error }:
		if list := inner.Unwrap(); e.Message == errors.Join(list...).Error() {
			e.Kind = kindJoined
			for _, one := range list {
				e.Joined = append(e.Joined, ErrorOf(one))
			}
			return
		}
		for _, one := range inner.Unwrap() {
			e.take(ErrorOf(one))
		}
	case interface{ Unwrap() error }:
		e.take(ErrorOf(inner.Unwrap()))
	}
}

// take keeps a cause that has fields.
func (e *Error) take(cause *Error) {
	for cause != nil && cause.Kind == kindOther {
		cause = cause.Cause
	}
	if e.Cause == nil {
		e.Cause = cause
	}
}

func (e *Error) place(r parser.Range) {
	if r.Start.Line > 0 {
		start, end := Place(r.Start), Place(r.End)
		e.Start, e.Limit = &start, &end
	}
}

// codes are the sentinels with their names.
func codes() []query.ErrorInfo {
	return append(query.Errors(),
		query.ErrorInfo{Name: "context.Canceled", Err: context.Canceled},
		query.ErrorInfo{Name: "context.DeadlineExceeded", Err: context.DeadlineExceeded},
		query.ErrorInfo{Name: "remote.ErrStopped", Err: ErrStopped},
		query.ErrorInfo{Name: "remote.ErrBusy", Err: ErrBusy},
		query.ErrorInfo{Name: "remote.ErrRequest", Err: ErrRequest},
		query.ErrorInfo{Name: "remote.ErrToken", Err: ErrToken})
}

func codesOf(err error) (names []string) {
	for _, c := range codes() {
		if errors.Is(err, c.Err) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Err is the error that was described; nil for nil. Its type, fields, text and sentinels are the
// same; an error of a type that has no kind of its own has only its text and its sentinels.
func (e *Error) Err() error {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case kindSyntax:
		return &parser.Error{
			Range: e.at(), Message: e.Text, Found: e.Found, Expected: e.Expected, Nearest: e.Nearest, Remedy: e.Remedy,
			Limit: errors.Is(e.opaque(), parser.ErrLimit),
		}
	case kindMistake:
		m := &fault.Error{
			Range: e.at(), Message: e.Text, Found: e.Found, Expected: e.Expected, Nearest: e.Nearest, Remedy: e.Remedy,
			Option: e.Option, At: fault.Part(e.At), Err: e.Cause.Err(),
		}
		for _, o := range e.Options {
			m.Options = append(m.Options, fault.OptionRemedy(o))
		}
		return m
	case kindStatement:
		return &fault.StatementError{Statement: e.Statement, Err: e.inner()}
	case kindField:
		return &fault.FieldError{Field: e.Field, Value: e.Value, Message: e.Text}
	case kindLimit:
		return &fault.LimitError{What: e.What, Need: e.Need, Limit: e.Most, Unit: e.Unit, Field: e.Field}
	case kindJob:
		return &fault.JobError{Job: e.Job, State: storage.JobState(e.State), Err: e.inner()}
	case kindPart:
		return &fault.PartError{File: e.File, Pairs: e.Pairs, Err: e.inner()}
	case kindJoined:
		var list []error
		for _, one := range e.Joined {
			list = append(list, one.Err())
		}
		return errors.Join(list...)
	}
	return e.opaque()
}

// inner is the cause, which is never nil in an error that has one.
func (e *Error) inner() error {
	if e.Cause == nil {
		return e.opaque()
	}
	return e.Cause.Err()
}

func (e *Error) at() parser.Range {
	if e.Start == nil || e.Limit == nil {
		return parser.Range{}
	}
	return parser.Range{Start: parser.Pos(*e.Start), End: parser.Pos(*e.Limit)}
}

// opaque is an error with the text and the sentinels of another one; a sentinel itself where that is all.
func (e *Error) opaque() error {
	o := &opaque{text: e.Message}
	if cause := e.Cause.Err(); cause != nil {
		o.is = append(o.is, cause)
	}
	for _, c := range codes() {
		for _, name := range e.Codes {
			if c.Name == name {
				o.is = append(o.is, c.Err)
			}
		}
	}
	switch {
	case len(o.is) == 0:
		return errors.New(o.text)
	case len(o.is) == 1 && o.is[0].Error() == o.text:
		return o.is[0]
	}
	return o
}

type opaque struct {
	text string
	is   []error
}

func (o *opaque) Error() string   { return o.text }
func (o *opaque) Unwrap() []error { return o.is }
