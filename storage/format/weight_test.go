package format_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/rowtext"
)

// readMeasured reads text and returns its edges as "source>target", with "*weight"
// and "@time" where there are such.
func readMeasured(t *testing.T, text string, opts format.EdgeListOptions) (string, format.ReadStats, error) {
	t.Helper()
	var edges []string
	stats, err := rowtext.ReadEdgeList(t.Context(), strings.NewReader(text), opts, func(e format.Edge) error {
		if !e.Weighted && e.Weight != 1 || !e.Timed && e.Time != 0 {
			t.Errorf("weight %v, time %v of an edge without them", e.Weight, e.Time)
		}
		edges = append(edges, edgeText(e))
		return nil
	})
	return strings.Join(edges, " "), stats, err
}

func edgeText(e format.Edge) string {
	text := fmt.Sprintf("%s>%s", e.Source, e.Target)
	if e.Weighted {
		text += fmt.Sprintf("*%v", e.Weight)
	}
	if e.Timed {
		text += fmt.Sprintf("@%d", e.Time)
	}
	return text
}

func TestReadEdgeList_Columns(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       format.EdgeListOptions
		edges      string
		ignored    int
	}{
		{name: "known names", text: "source,target,weight,time\na,b,0.5,7\nc,d,,\ne,f\n", edges: "a>b*0.5@7 c>d e>f"},
		{name: "other known names, any place", text: "W,from,ts,to,x\n2,a,-3,b,y\n", edges: "a>b*2@-3", ignored: 1},
		{name: "an index without a name, as pandas writes it", text: ",source,target,weight\n0,a,b,2\n1,c,d,3\n", edges: "a>b*2 c>d*3", ignored: 1},
		{name: "comment", text: "# source target weight time\na b 2 5\nc d 3\n", edges: "a>b*2@5 c>d*3"},
		{name: "header found by its integers", text: "one other value\n1 2 3\n2 3 4.5\n", edges: "1>2*3 2>3*4.5"},
		{name: "no header, automatic", text: "a b 2 5\n", edges: "a>b", ignored: 2},
		{name: "numbers", text: "x a b 2 5\ny c d 3 6\n", opts: format.EdgeListOptions{Source: "3", Target: "2", Weight: "4", Time: "5"}, edges: "b>a*2@5 d>c*3@6", ignored: 1},
		{name: "numbers under a header", text: "a b c\n1 2 3\n4 5 6\n", opts: format.EdgeListOptions{Weight: "3"}, edges: "1>2*3 4>5*6"},
		{name: "names", text: "x;y;Cost;When\n1;2;3;4\n", opts: format.EdgeListOptions{Separator: ";", Source: "y", Target: "x", Weight: "cost", Time: "when"}, edges: "2>1*3@4"},
		{name: "names that differ by case", text: "a,A,w\n1,2,3\n", opts: format.EdgeListOptions{Source: "A", Target: "a"}, edges: "2>1*3"},
		{name: "names in a comment", text: "# source target cost\na b 3\n", opts: format.EdgeListOptions{Weight: "cost"}, edges: "a>b*3"},
		{name: "names below a comment without them", text: "# source target\ns\tt\tcost\na\tb\t3\n", opts: format.EdgeListOptions{Weight: "cost"}, edges: "a>b*3"},
		{name: "quoted names", text: "\"the source\",\"the \"\"target\"\"\",w\na,b,3\n", opts: format.EdgeListOptions{Source: "the source", Target: `the "target"`}, edges: "a>b*3"},
		{name: "none", text: "source,target,weight,time\na,b,-1,never\n", opts: format.EdgeListOptions{Weight: format.NoColumn, Time: format.NoColumn}, edges: "a>b", ignored: 2},
		{name: "CRLF and blanks", text: "source target weight\r\n a \t b  2 \r\nc d 3\r\n", edges: "a>b*2 c>d*3"},
		{name: "dates", text: "source,target,date\na,b,1970-01-02\na,b,1970-01-01T00:00:01Z\na,b,1970-01-01 00:00:02\na,b,1970-01-01T01:00:03.9+01:00\na,b,1969-12-31T23:59:59.5Z\n", edges: "a>b@86400 a>b@1 a>b@2 a>b@3 a>b@-1"},
		{name: "weights of all forms", text: "source,target,w\na,b,1e3\na,b,.5\na,b,+2.\na,b,1E-3\na,b, 7 \n", edges: "a>b*1000 a>b*0.5 a>b*2 a>b*0.001 a>b*7"},
		{name: "times of all forms", text: "source,target,ts\na,b,+5\na,b,-9223372036854775807\na,b,9223372036854775807\n", edges: "a>b@5 a>b@-9223372036854775807 a>b@9223372036854775807"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edges, stats, err := readMeasured(t, c.text, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if edges != c.edges || stats.IgnoredColumns != c.ignored {
				t.Errorf("edges %s, want %s; %d ignored columns", edges, c.edges, stats.IgnoredColumns)
			}
			if weighted := strings.Count(c.edges, "*"); stats.Weighted != int64(weighted) || stats.Timed != int64(strings.Count(c.edges, "@")) {
				t.Errorf("%d with weight, %d with time", stats.Weighted, stats.Timed)
			}
		})
	}
}

func TestReadEdgeList_MalformedColumns(t *testing.T) {
	wide := format.EdgeListOptions{Source: "1", Target: "4"}
	for _, c := range []struct {
		name, text string
		opts       format.EdgeListOptions
		want       string
	}{
		{name: "zero weight", text: "source,target,weight\na,b,1\na,b,0\n", want: `g:3:5: weight "0" is not a positive decimal number that a float32 can hold`},
		{name: "negative weight", text: "source,target,weight\na,b,-2\n", want: `g:2:5: weight "-2" is not`},
		{name: "tiny weight", text: "source,target,weight\nä,b,1e-60\n", want: `g:2:5: weight "1e-60" is not`},
		{name: "huge weight", text: "source,target,weight\na,b,1e39\n", want: `g:2:5: weight "1e39" is not`},
		{name: "decimal comma", text: "source;target;weight\na;b;0,5\n", want: `g:2:5: weight "0,5" has a decimal comma; write a point`},
		{name: "hexadecimal", text: "source,target,weight\na,b,0x1p3\n", want: `g:2:5: weight "0x1p3" is not`},
		{name: "two points", text: "source,target,weight\na,b,1.2.3\n", want: `g:2:5: weight "1.2.3" is not`},
		{name: "no number", text: "1 2 x\n3 4 y\n", opts: format.EdgeListOptions{Weight: "3", Header: format.HeaderNone}, want: `g:1:5: weight "x" is not`},
		{name: "time", text: "source target time\na b 12:30\n", want: `g:2:5: time "12:30" is neither`},
		{name: "time beyond 64 bits", text: "source target time\na b 9223372036854775808\n", want: `g:2:5: time "9223372036854775808" is neither`},
		{name: "time that stands for none", text: "source target time\na b -9223372036854775808\n", want: `g:2:5: time "-9223372036854775808" is neither`},
		{name: "no such name", text: "from,to,w\na,b,1\n", opts: format.EdgeListOptions{Weight: "cost"}, want: `g:1:1: no column is called "cost"; there are "from", "to", "w"`},
		{name: "twice the name", text: "from,to,x,x\na,b,1,1\n", opts: format.EdgeListOptions{Weight: "x"}, want: `g:1:1: columns 3 and 4 are both called "x"`},
		{name: "one column twice", text: "from,to,x\na,b,1\n", opts: format.EdgeListOptions{Weight: "x", Time: "x"}, want: `g:1:1: column 3 is asked for as weight and as time`},
		{name: "no such number", text: "from,to,x\na,b,1\n", opts: format.EdgeListOptions{Weight: "4"}, want: `g:1:1: there is no column 4 for the weight; the header names 3`},
		{name: "short line", text: "a b c d\na b c\n", opts: wide, want: `g:2:1: expected 4 columns or more separated by spaces or tabs, found only "a b c"`},
		{name: "empty key", text: "a,b,c,d\na,b,c,\n", opts: wide, want: "g:2:7: column 4 is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opts.Name = "g"
			_, _, err := readMeasured(t, c.text, c.opts)
			if !errors.Is(err, format.ErrSyntax) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestEdgeListOptions_ValidateColumns(t *testing.T) {
	for _, opts := range []format.EdgeListOptions{
		{Source: "0"}, {Source: "-1"}, {Weight: "65537"}, {Weight: "99999999999999999999"}, {Source: "2"}, {Weight: "1"}, {Weight: "3", Time: "3"},
		{Source: format.NoColumn}, {Target: format.NoColumn}, {Source: "from", Header: format.HeaderNone}, {Weight: "w", Header: format.HeaderCounts},
	} {
		if err := opts.Validate(); !errors.Is(err, format.ErrOptions) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	for _, opts := range []format.EdgeListOptions{{Source: "2", Target: "1"}, {Weight: "from", Time: "from"}, {Weight: format.NoColumn, Header: format.HeaderNone}, {Source: "from"}} {
		if err := opts.Validate(); err != nil {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

func TestTypeOf(t *testing.T) {
	for want, values := range map[format.Type][]string{
		format.Integer: {"0", "1", "-1", "9223372036854775807", "-9223372036854775808"},
		format.Float:   {"1.5", "-0.5", ".5", "1.", "1e3", "2.0", "1E-400", "-0"},
		format.Boolean: {"true", "false", "True", "FALSE"},
		format.Text:    {"", "a", "007", "-01", "+1", "00.5", "9223372036854775808", "1e400", "inf", "NaN", "0x10", "1_000", "truer", "e", "-", ".", "1 ", "é"},
	} {
		for _, value := range values {
			if got := format.TypeOf([]byte(value)); got != want {
				t.Errorf("%q is %s, want %s", value, got, want)
			}
		}
	}
}

func TestType_Or(t *testing.T) {
	all := []format.Type{format.Untyped, format.Text, format.Integer, format.Float, format.Boolean}
	for _, a := range all {
		for _, b := range all {
			got := a.Or(b)
			if got != b.Or(a) {
				t.Errorf("%s or %s depends on the order", a, b)
			}
			if a == b && got != a || a == format.Untyped && got != b || a == format.Text && got != format.Text {
				t.Errorf("%s or %s is %s", a, b, got)
			}
		}
	}
	if format.Integer.Or(format.Float) != format.Float || format.Integer.Or(format.Boolean) != format.Text || format.Float.Or(format.Boolean) != format.Text {
		t.Error("mixed types")
	}
	if got := typed.Fault(format.Float, []byte(fmt.Sprint(math.Inf(1)))); got == "" {
		t.Error("an infinity passes")
	}
}
