package driver

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
)

// settings are the parameters of a data source name. Connections share a database if
// theirs are equal.
type settings struct {
	readOnly, noCreate   bool
	lockTimeout          time.Duration
	releaseIdle, noFiles bool
	memoryLimit          int64
	maxRows, workers     int
	folder               string
}

func (s settings) options() *query.Options {
	return &query.Options{
		ReadOnly: s.readOnly, NoCreate: s.noCreate, LockTimeout: s.lockTimeout, ReleaseIdle: s.releaseIdle,
		NoFiles: s.noFiles, Folder: s.folder, MemoryLimit: s.memoryLimit, MaxRows: s.maxRows, Workers: s.workers,
	}
}

// parameter is a parameter of a data source name. set assigns a value and reports
// whether the value is valid.
type parameter struct {
	name     string
	expected string
	set      func(s *settings, value string) bool
}

var parameters = []parameter{
	{"mode", "must be ro, rw or rwc", func(s *settings, value string) bool {
		s.readOnly, s.noCreate = value == "ro", value == "rw"
		return slices.Contains([]string{"ro", "rw", "rwc"}, value)
	}},
	{"lock_timeout", "must be a duration such as 5s", func(s *settings, value string) bool {
		return assign(&s.lockTimeout, value, time.ParseDuration)
	}},
	{"release_idle", "must be true or false", func(s *settings, value string) bool {
		return assign(&s.releaseIdle, value, strconv.ParseBool)
	}},
	{"memory_limit", "must be a number of bytes, such as 4GiB or 500MB", func(s *settings, value string) bool {
		return assign(&s.memoryLimit, value, fault.ParseBytes)
	}},
	{"max_rows", "must be an integer", func(s *settings, value string) bool {
		return assign(&s.maxRows, value, strconv.Atoi)
	}},
	{"workers", "must be an integer", func(s *settings, value string) bool {
		return assign(&s.workers, value, strconv.Atoi)
	}},
	{"folder", "must be a folder", func(s *settings, value string) bool {
		s.folder = value
		return value != ""
	}},
	{"no_files", "must be true or false", func(s *settings, value string) bool {
		return assign(&s.noFiles, value, strconv.ParseBool)
	}},
}

// assign reads a value into its field.
func assign[T any](field *T, text string, read func(string) (T, error)) bool {
	value, err := read(text)
	*field = value
	return err == nil
}

// parseName splits a data source name and reads its parameters. The errors answer
// errors.Is for query.ErrInvalid.
func parseName(name string) (path string, set settings, err error) {
	path, text := name, ""
	if at := strings.LastIndexByte(name, '?'); at >= 0 {
		path, text = name[:at], name[at+1:]
	}
	if path == "" {
		return "", set, fault.New(fault.File, "the data source name has no path of a file")
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return "", set, fault.New(fault.File, "the parameters %s of the data source name cannot be read: %v", fault.Quote(text), err)
	}
	var known []string
	for _, p := range parameters {
		known = append(known, p.name)
		list, given := values[p.name]
		delete(values, p.name)
		if len(list) > 1 {
			return "", set, fault.OfOption(p.name, "is given twice")
		}
		if given && !p.set(&set, list[0]) {
			return "", set, fault.OfOption(p.name, "is %s, and %s", fault.Quote(list[0]), p.expected)
		}
	}
	for _, unknown := range slices.Sorted(maps.Keys(values)) {
		e := fault.New(fault.Option(unknown), "a data source name has no parameter %s", fault.Quote(unknown))
		return "", set, e.WithNearest(unknown, known, func(s string) string { return s })
	}
	return path, set, set.options().Validate()
}
