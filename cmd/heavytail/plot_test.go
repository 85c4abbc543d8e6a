package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plottedFile has the bytes of the file that plotted made first.
var plottedFile []byte

// plotted makes a file with a graph, its attributes and an embedding.
func plotted(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plot.ht")
	if plottedFile != nil {
		if err := os.WriteFile(file, plottedFile, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	mustRun(t, "", "exec", file, "-c", `GENERATE preferential_attachment(n := 200, m := 4, seed := 1) INTO pa;
UPDATE VERTICES IN pa SET side := 'left' WHERE degree > 9;
UPDATE VERTICES IN pa SET side := 'right', age := 30 WHERE degree < 6;
EMBED pa USING dp_spectral(dim := 16) AS spec; TRAIN MODEL m IN pa USING heuristics(jaccard, l3)`)
	plottedFile = mustRead(t, file)
	return file
}

func TestPlot_Text(t *testing.T) {
	file := plotted(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"degrees", file, "pa", "spec"}, []string{"Degree distributions", "degree d", "* pa", "+ spec at ε 0.", "o power law of pa: exponent "}},
		{[]string{"parameters", file, "pa", "--vary", "dim=4,8", "--using", "dp_spectral(beta := 0.5)", "--using", "laplacian_eigenmaps", "--measure", "spearman"},
			[]string{"dimension k", "Spearman's ρ", "* dp_spectral(beta := 0.5)", "+ laplacian_eigenmaps"}},
		{[]string{"parameters", file, "pa", "--vary", "scale", "--title", "Scales"}, []string{"Scales", "scale γ", "0.5"}},
		{[]string{"graph", file, "--color", "side"}, []string{"pa: 200 vertices, ", "side right", "side left", "other values"}},
		{[]string{"graph", file, "--color", "degree", "--around", "7"}, []string{"pa around 7: ", "degree 4"}},
		{[]string{"graph", file, "--around", "7", "--depth", "2"}, []string{"pa around 7: "}},
		{[]string{"links", file, "--scorers", "l3,common_neighbors"}, []string{"pa: ROC curves, against random pairs", ". chance", " l3, AUC 0.", " common_neighbors, AUC 0."}},
		{[]string{"links", file, "pa", "--curve", "precision-recall", "--using", "fastrp(dim := 8)", "--scorers", "cosine", "--negatives", "degree"}, []string{"against degree pairs", "cosine of fastrp(dim := 8", "logistic(concatenation) of"}},
		{[]string{"links", file, "--curve", "calibration"}, []string{"Calibration of models", "+ m, mean difference 0."}},
		{[]string{"degrees", file, "pa", "--law=false"}, []string{"Degree distributions"}},
		{[]string{"projection", file, "spec", "--layout", "pca"}, []string{"Embedding spec", "first principal component ("}},
		{[]string{"projection", file, "spec"}, []string{"Embedding spec", "degree 4", ". degree", "@ degree"}},
		{[]string{"projection", file, "spec", "--color", "side"}, []string{". other values", " side right", " side left"}},
		{[]string{"projection", file, "spec", "--color", "age"}, []string{". other values", " age 30"}},
	} {
		out := mustRun(t, "", append([]string{"plot"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, out)
			}
		}
	}
}

func TestPlot_Pictures(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: draws many pictures")
	}
	file := plotted(t)
	for _, args := range [][]string{{"degrees", file, "pa", "spec"}, {"graph", file}, {"links", file}, {"graph", file, "pa", "--around", "7", "--vertices", "20", "--edges", "30", "--size", "300x300"}, {"projection", file, "spec"}, {"parameters", file, "pa", "--vary", "beta=0,1"}} {
		var first []byte
		for range 2 { // the second picture replaces the first
			path := filepath.Join(filepath.Dir(file), args[0]+".svg")
			if out := mustRun(t, "", append(append([]string{"plot"}, args...), "--out", path)...); out != "" {
				t.Errorf("%v prints %q", args, out)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(content, first) {
				t.Errorf("%v: two pictures differ", args)
			}
			first = content
		}
		for decoder := xml.NewDecoder(bytes.NewReader(first)); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v: %v", args, err)
			}
		}
		path := filepath.Join(filepath.Dir(file), args[0]+".png")
		mustRun(t, "", append(append([]string{"plot"}, args...), "--out", path)...)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(content)); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPlot_Points(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: draws again and again; TestPlot_Text draws each plot")
	}
	file := plotted(t)
	a := command(t, "", "plot", "projection", file, "spec", "--points", "50")
	if a.code != exitDone || !strings.Contains(a.err, "notice: 50 of 200 vertices drawn") {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
}

func TestPlot_Errors(t *testing.T) {
	file := plotted(t)
	if a := command(t, "", "exec", file, "-c", "CREATE GRAPH bare; INSERT VERTEX 'a', 'b' INTO bare"); a.code != 0 {
		t.Fatal(a.err)
	}
	folder := filepath.Join(t.TempDir(), "x.svg")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "expected one of: degrees", nil},
		{exitUsage, `unknown plot "cake"`, []string{"cake"}},
		{exitUsage, "expected FILE and at least one NAME", []string{"degrees", file}},
		{exitFailed, "vertex 'nobody' is not in graph pa", []string{"graph", file, "pa", "--around", "nobody"}},
		{exitFailed, `no attribute "sid"`, []string{"graph", file, "pa", "--color", "sid"}},
		{exitFailed, `unknown graph "ap"`, []string{"graph", file, "ap"}},
		{exitUsage, "--vertices is 0", []string{"graph", file, "--vertices", "0"}},
		{exitUsage, "--depth is 0", []string{"graph", file, "--around", "7", "--depth", "0"}},
		{exitUsage, `--size is "big"`, []string{"graph", file, "--size", "big"}},
		{exitUsage, "the width is 20 points", []string{"graph", file, "--size", "20x300"}},
		{exitUsage, "5 pixels for each inch", []string{"graph", file, "--dpi", "5"}},
		{exitUsage, `--curve is "cake"`, []string{"links", file, "--curve", "cake"}},
		{exitFailed, "nothing to draw: the graph has no models", []string{"links", file, "bare", "--curve", "calibration"}},
		{exitFailed, `did you mean "m"`, []string{"links", file, "pa", "--curve", "calibration", "--models", "mm"}},
		{exitFailed, `did you mean two_hop?`, []string{"links", file, "pa", "--negatives", "twohop"}},
		{exitUsage, "does not end in .svg, .png or .pdf", []string{"degrees", file, "pa", "--out", "x.gif"}},
		{exitUsage, "expected --vary OPTION", []string{"parameters", file, "pa"}},
		{exitUsage, `"x" is no number`, []string{"parameters", file, "pa", "--vary", "beta=1,x"}},
		{exitUsage, "has no usual values with dp_spectral", []string{"parameters", file, "pa", "--vary", "alpha"}},
		{exitUsage, `--measure is "best"`, []string{"parameters", file, "pa", "--vary", "beta", "--measure", "best"}},
		{exitUsage, "is no method with its options", []string{"parameters", file, "pa", "--vary", "beta", "--using", "dp_spectral("}},
		{exitUsage, "is no method with its options", []string{"parameters", file, "pa", "--vary", "beta", "--using", "a AS b; DROP GRAPH pa; EMBED g USING a"}},
		{exitUsage, "parameter $b has no value", []string{"parameters", file, "pa", "--vary", "dim", "--using", "dp_spectral(beta := $b)"}},
		{exitUsage, "--points of 1 or more", []string{"projection", file, "spec", "--points", "0"}},
		{exitFailed, `did you mean "spec"?`, []string{"projection", file, "speck"}},
		{exitFailed, `no attribute "sides"`, []string{"projection", file, "spec", "--color", "sides"}},
		{exitFailed, `unknown graph "ap"`, []string{"degrees", file, "ap"}},
		{exitFailed, "option beta is 9", []string{"parameters", file, "pa", "--vary", "beta=9"}},
		{exitFailed, `x.svg": no such file`, []string{"degrees", file, "ap", "--out", filepath.Join("nowhere", "x.svg")}},
		{exitFailed, "is a folder", []string{"degrees", file, "ap", "--out", folder}},
		{exitFailed, "nothing to draw: no vertex has an edge", []string{"degrees", file, "bare"}},
		{exitFailed, "nothing to draw: pearson is not defined", []string{"parameters", file, "bare", "--vary", "dim=1,2"}},
	} {
		a := command(t, "", append([]string{"plot"}, c.args...)...)
		if a.code != c.code || !strings.Contains(a.err, c.want) {
			t.Errorf("%v: exit code %d, %q, want %d and %q", c.args, a.code, a.err, c.code, c.want)
		}
	}
}

// .plot of the shell draws what plot draws, as text or into a file, and a mistake is an
// error of the shell.
func TestPlot_Shell(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: draws again and again; TestPlot_Text draws each plot")
	}
	file := plotted(t)
	picture := filepath.Join(filepath.Dir(file), "shell.svg")
	out := mustRun(t, "", "exec", file, "-c", `.plot graph pa --around 7 --depth 1
.plot links --scorers l3
.plot projection spec --color side
.plot degrees pa spec --out "`+picture+`"
.plot pa`)
	for _, want := range []string{"pa around 7: ", "+ l3, AUC 0.", "Embedding spec", "vertices of degree d or higher"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !bytes.Contains(mustRead(t, picture), []byte("<svg")) {
		t.Error("there is no picture")
	}
	for args, want := range map[string]string{
		"degrees": "expected at least one NAME, found 0 arguments", "projection": "expected EMBEDDING, found 0 arguments", "graph a b": "expected GRAPH if the file has several, found 2 arguments", "graph ap": `unknown graph "ap"`, "cake": `unknown graph "cake"`, "graph pa --dept 2": "did you mean --depth?",
		"links --out nowhere/x.svg": "no such file", "a b c d e f g h i": "too many to distinguish",
	} {
		if a := command(t, "", "exec", file, "-c", ".plot "+args); a.code != exitFailed || !strings.Contains(a.err, want) {
			t.Errorf(".plot %s: exit code %d, %q, want %q", args, a.code, a.err, want)
		}
	}
}
