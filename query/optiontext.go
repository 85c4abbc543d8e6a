package query

import (
	"fmt"
	"strconv"
	"strings"

	"heavytail/query/internal/bind"
	"heavytail/query/parser"
)

func option(name string, value any) parser.Option {
	return parser.Option{Name: parser.Ident{Name: name}, Value: literal(value)}
}

// optionList are the options in the text of a job.
type optionList []parser.Option

// add adds an option, where it is given.
func (l *optionList) add(given bool, name string, value any) {
	if given {
		*l = append(*l, option(name, value))
	}
}

// literal writes the value of a checked setting in the language.
func literal(v any) parser.Value {
	switch v := v.(type) {
	case int64:
		return parser.Int{Value: v}
	case float64:
		return parser.Float{Value: v}
	case bool:
		return parser.Bool{Value: v}
	}
	return parser.String{Value: fmt.Sprint(v)}
}

// callText writes a call with the settings that were given, and the seed.
func callText(s bind.Settings, name string, options []OptionInfo) string {
	var list []string
	for _, o := range options {
		value, given := s[o.Name]
		switch v := value.(type) {
		case string:
			list = append(list, o.Name+" := "+parser.String{Value: v}.String())
		case float64:
			list = append(list, o.Name+" := "+strconv.FormatFloat(v, 'g', -1, 64))
		case int64:
			list = append(list, o.Name+" := "+strconv.FormatInt(v, 10))
		}
		if !given && o.Name == "seed" {
			list = append(list, "seed := 0")
		}
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}
