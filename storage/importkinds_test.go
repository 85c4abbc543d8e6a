package storage

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"heavytail/storage/format"
)

// remarkOf returns the remark whose kind begins with a text.
func remarkOf(stats ImportStats, what string) (found format.Remark) {
	for _, r := range stats.Remarks {
		if strings.HasPrefix(r.What, what) {
			found = r
		}
	}
	return found
}

// A first line of words that occur nowhere else names the columns, in a text of any length; it is an
// edge where one of them occurs later, where keys do not recur, or where the option says so.
func TestImport_NamesNowhereElse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	for _, sep := range []string{",", ";", "|", "\t", " "} {
		for _, lines := range []int{10, 63, 64, 65, 66, 500} {
			rows := make([]string, lines)
			for i := range rows {
				rows[i] = fmt.Sprintf("k%d%sk%d\n", random.IntN(5), sep, 5+random.IntN(4))
			}
			text := strings.Join(rows, "")
			plain := importValues(t, newStore(t, nil), text, ImportOptions{})
			for _, c := range []struct {
				name, text string
				header     format.HeaderMode
				named      bool
			}{
				{"names", "who" + sep + "whom\n" + text, format.HeaderAuto, true},
				{"FALSE", "who" + sep + "whom\n" + text, format.HeaderNone, false},
				{"later", "who" + sep + "whom\n" + text + "k1" + sep + "whom\n", format.HeaderAuto, false},
				{"a loop", "who" + sep + "who\n" + text, format.HeaderAuto, false},
			} {
				db := newStore(t, nil)
				stats := importValues(t, db, c.text, ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Header: c.header}}})
				remark := remarkOf(stats, "first line taken as the names")
				if named := stats.Vertices == plain.Vertices && stats.Edges == plain.Edges; named != c.named || (remark.Count == 1) != c.named || (stats.Header != "") != c.named {
					t.Errorf("%s, %d lines, separator %q: %d vertices for %d, header %q, %v", c.name, lines, sep, stats.Vertices, plain.Vertices, stats.Header, stats.Remarks)
				}
			}
		}
		var matching strings.Builder
		for i := range 200 {
			fmt.Fprintf(&matching, "a%d%sb%d\n", i, sep, i)
		}
		stats := importValues(t, newStore(t, nil), "who"+sep+"whom\n"+matching.String(), ImportOptions{})
		if r := remarkOf(stats, "first line taken as an edge"); stats.Edges != 201 || r.Count != 1 || stats.Header != "" {
			t.Errorf("separator %q: %d edges, header %q, %v", sep, stats.Edges, stats.Header, stats.Remarks)
		}
	}
}

// A line that looks like a header of counts, but declares fewer vertices than there are, is an edge,
// and is said to be none.
func TestImport_CountsOfOthers(t *testing.T) {
	t.Parallel()
	stats := importValues(t, newStore(t, nil), "3 4\n1 2\n2 5\n6 7\n7 8\n", ImportOptions{})
	if stats.CountsHeader || stats.Header != "" || stats.Edges != 5 {
		t.Errorf("%+v", stats)
	}
}

// Edges with different weights are counted, whatever the memory, and whatever the graph has already.
func TestImport_DifferentWeights(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	const n, lines = 60, 5000
	first := map[[2]int]int{}
	differ := map[[2]int]bool{}
	var text strings.Builder
	text.WriteString("source,target,weight\n")
	for range lines {
		u, v, w := random.IntN(n), random.IntN(n), random.IntN(12)
		switch key := [2]int{min(u, v), max(u, v)}; {
		case w > 2 && u != v && first[key] != 0:
			w = first[key] // most are equal
		case w == 0:
		case u != v && first[key] == 0:
			first[key] = w
		case u != v && first[key] != w:
			differ[key] = true
		}
		if w == 0 {
			fmt.Fprintf(&text, "%d,%d,\n", u, v)
			continue
		}
		fmt.Fprintf(&text, "%d,%d,%d\n", u, v, w)
	}
	what := "edges with different weights"
	for _, room := range []int64{0, 24 * 40, 24 * 700} {
		db := newStore(t, nil)
		stats := importValues(t, db, text.String(), ImportOptions{edgeRoom: room})
		if r := remarkOf(stats, what); r.Count != int64(len(differ)) || len(r.Names) != 1 {
			t.Errorf("room %d: %d edges, want %d: %v", room, r.Count, len(differ), r)
		}
		// Again: other weights of the graph do not count.
		again := importValues(t, db, "source,target,weight\n0,1,7\n2,3,9\n2,3,9\n4,5,1\n5,4,2\n", ImportOptions{edgeRoom: room})
		if r := remarkOf(again, what); r.Count != 1 || r.Names[0] != `"4" and "5"` {
			t.Errorf("room %d, again: %v", room, r)
		}
		for _, how := range []Repeated{RepeatedFirst, RepeatedSum, RepeatedMin, RepeatedMax, RepeatedCount} {
			if r := remarkOf(importValues(t, newStore(t, nil), text.String(), ImportOptions{edgeRoom: room, Repeated: how}), what); r.Count != 0 {
				t.Errorf("%s: %v", how, r)
			}
		}
	}
}

// Ends that are words for missing values become vertices, which is said.
func TestImport_MissingKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, names string
		count       int64
	}{
		{"source,target\na,nan\nb,nan\nNULL,c\n\\N,d\n", `[nan NULL \N]`, 3},
		{"source\ttarget\na\t<NA>\n", "[<NA>]", 1},
		{"{\"nodes\":[{\"id\":\"None\"},{\"id\":\"b\"}],\"links\":[]}", "[None]", 1},
		{"source,target\na,nano\n1,2\nNA1,x\n", "[]", 0},
	} {
		r := remarkOf(importValues(t, newStore(t, nil), c.text, ImportOptions{}), "vertices whose keys are words for missing values")
		if r.Count != c.count || fmt.Sprint(r.Names) != c.names {
			t.Errorf("%q: %v", c.text, r)
		}
	}
}

// Weights that lose digits are counted, where they are whole numbers.
func TestImport_RoundedWeights(t *testing.T) {
	t.Parallel()
	text := "source,target,weight\na,b,16777217\nb,c,16777216\nc,d,0.1\nd,e,123456789012\n"
	if r := remarkOf(importValues(t, newStore(t, nil), text, ImportOptions{}), "whole weights above 16,777,216 rounded to seven digits"); r.Count != 2 {
		t.Errorf("%v", r)
	}
}

// Keys that look like others, and keys that are the names of the columns, are remarked.
func TestImport_DoubtfulKeys(t *testing.T) {
	t.Parallel()
	const unseen, named = "vertices whose keys have blanks at an end or characters that are not seen", "vertices that are called as the columns of the ends"
	for _, c := range []struct{ text, what, names string }{
		{"source,target\n\"a \",b\na,c\n", unseen, `["a "]`},
		{"source,target\n1\u200b,b\n1,\ufeffc\n", unseen, `["1\u200b" "\ufeffc"]`},
		{"1 2\n\f2 3\n", unseen, `["\f2"]`},
		{"source,target\na,b\nsource,target\nb,c\n", named, "[source target]"},
		{"source,target\na,b\nsource,c\n", named, "[]"},
		{"# source target\na b\nsource target\n", named, "[source target]"},
	} {
		if r := remarkOf(importValues(t, newStore(t, nil), c.text, ImportOptions{}), c.what); fmt.Sprint(r.Names) != c.names {
			t.Errorf("%q: %v, want %s", c.text, r, c.names)
		}
	}
}

// A column of numbers that one other value makes one of texts is remarked.
func TestImport_SpoiltNumbers(t *testing.T) {
	t.Parallel()
	for text, names := range map[string]string{
		"key,n\na,1\nb,2\nc,five\n":               `[n because of "five"]`,
		"key,n:text\na,1\nb,2\nc,five\n":          "[]",
		"key,n\n-,km\na,1.5\nb,2\n":               `[n because of "km"]`,
		"key,n\na,1\nb,x\nc,y\n":                  "[]",
		"key,n\na,1\nb,2\nc,NA\n":                 "[]",
		"key,n,m\na,1,x\nb,2,4\nkey,n,m\nc,3,4\n": `[n because of "n"]`,
	} {
		r := remarkOf(importValues(t, newStore(t, nil), text, ImportOptions{Format: format.Options{Layout: format.LayoutVertices}}), "attributes kept as texts although nearly all their values are numbers")
		if fmt.Sprint(r.Names) != names {
			t.Errorf("%q: %v, want %s", text, r, names)
		}
	}
}

// Words for missing values leave the type of the others, keep what vertices have, and are texts in
// columns of texts.
func TestImport_MissingValues(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("format/testdata/missing.csv")
	if err != nil {
		t.Fatal(err)
	}
	missing := Value{}.String()
	vertices := ImportOptions{Format: format.Options{Layout: format.LayoutVertices}}
	db := newStore(t, nil)
	importValues(t, db, string(text), vertices)
	if got, want := columnTexts(t, db, "x"), fmt.Sprintf("integer 1 %s 3", missing); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, word := range []string{"NA", "N/A", "NaN", "nan", "NULL", "null", "None", `\N`, "", "-", ".", "?", "<NA>", "#N/A", "inf", "-Infinity"} {
		for _, c := range []struct{ values, want string }{
			{"1,%s,3", "integer 1 - 3"}, {"1,%s,2.5", "float 1 - 2.5"}, {"true,%s,false", "boolean true - false"}, {"x,%s,y", "text x W y"}, {"007,%s,1", "text 007 W 1"},
		} {
			if word == "" && strings.HasPrefix(c.want, "text") {
				continue
			}
			db := newStore(t, nil)
			table := "key,a\n"
			for i, value := range strings.Split(fmt.Sprintf(c.values, word), ",") {
				table += fmt.Sprintf("v%d,%s\n", i, value)
			}
			stats := importValues(t, db, table, vertices)
			want := strings.NewReplacer("-", missing, "W", word).Replace(c.want)
			if got := columnTexts(t, db, "a"); got != want {
				t.Errorf("%q: %s, want %s", table, got, want)
			}
			counted := remarkOf(stats, format.MissingValues).Count
			if (counted == 1) != (word != "" && !strings.HasPrefix(c.want, "text")) {
				t.Errorf("%q: %v", table, stats.Remarks)
			}
			// With a type in the header.
			kind := strings.Fields(c.want)[0]
			typed := importValues(t, newStore(t, nil), strings.Replace(table, "key,a", "key,a:"+kind, 1), vertices)
			if got := remarkOf(typed, format.MissingValues).Count; got != counted {
				t.Errorf("%q, typed: %v", table, typed.Remarks)
			}
		}
	}
	importValues(t, db, "key,x\na,NA\n", vertices)
	if got, want := columnTexts(t, db, "x"), fmt.Sprintf("integer 1 %s 3", missing); got != want {
		t.Errorf("after NA: %s, want %s", got, want)
	}
	info, err := db.Graph(context.Background(), "g")
	if err != nil || len(info.Attributes) != 1 {
		t.Errorf("%+v, %v", info.Attributes, err)
	}
}

// An import gives the same graph and the same figures on any number of processors: the vertices in the
// order in which the text names them, whatever their keys look like, and its distinct edges.
func TestImport_Processors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, weight := range []string{"", "3"} {
		for _, directed := range []format.Direction{format.Directed, format.Undirected} {
			var text strings.Builder
			random := rand.New(rand.NewPCG(4, 4))
			number, edges := map[string]int{}, map[[2]int]bool{}
			forms := []string{"%d", "0%d", "k%d", "the key of vertex %d"}
			var order []string
			for i := range 50_000 {
				var ends [2]int
				for j := range ends {
					// New vertices appear along the whole text.
					v := i/4 - int(random.ExpFloat64()*1000)
					key := fmt.Sprintf(forms[(v%4+4)%4], max(v, -v))
					if _, known := number[key]; !known {
						number[key] = len(order)
						order = append(order, key)
					}
					ends[j] = number[key]
					fmt.Fprintf(&text, "%s,", key)
				}
				fmt.Fprintf(&text, "%d\n", 1+i%7)
				if directed == format.Undirected && ends[0] > ends[1] {
					ends[0], ends[1] = ends[1], ends[0]
				}
				if ends[0] != ends[1] {
					edges[ends] = true
				}
			}
			var want []byte
			var wantStats ImportStats
			for _, processors := range []int{1, 2, 4} {
				runtime.GOMAXPROCS(processors)
				db := newStore(t, nil)
				opts := ImportOptions{Format: format.Options{Directed: directed, EdgeListOptions: format.EdgeListOptions{Weight: weight, Header: format.HeaderNone}}}
				stats, err := db.Import(t.Context(), "g", strings.NewReader(text.String()), opts)
				if err != nil {
					t.Fatal(err)
				}
				stats.Seconds = 0
				if want == nil {
					want, wantStats = graphRecords(t, db, "g"), stats
				}
				if !bytes.Equal(graphRecords(t, db, "g"), want) || !reflect.DeepEqual(stats, wantStats) {
					t.Errorf("%d processors, weight %q, %s: another result: %+v, want %+v", processors, weight, directed, stats, wantStats)
				}
				if stats.Vertices != len(order) || stats.Edges != int64(len(edges)) {
					t.Errorf("%d processors, weight %q, %s: %d vertices and %d edges, want %d and %d", processors, weight, directed, stats.Vertices, stats.Edges, len(order), len(edges))
				}
				s, err := db.Snapshot(t.Context(), "g")
				if err != nil {
					t.Fatal(err)
				}
				for v, key := range order {
					if got := s.Key(uint32(v)); got != key {
						t.Fatalf("%d processors: vertex %d is %q, want %q", processors, v, got, key)
					}
				}
			}
		}
	}
}
