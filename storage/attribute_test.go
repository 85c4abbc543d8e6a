package storage

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseType(t *testing.T) {
	for _, kind := range []Type{Text, Integer, Float, Boolean} {
		if got, err := ParseType(strings.ToUpper(kind.String())); err != nil || got != kind {
			t.Errorf("%v is read as %v, %v", kind, got, err)
		}
	}
	for _, name := range []string{"", "missing", "int", "type 7"} {
		if got, err := ParseType(name); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q is read as %v, %v", name, got, err)
		}
	}
	if s := Type(9).String(); s != "type 9" {
		t.Error(s)
	}
}

func TestAttribute_Check(t *testing.T) {
	for _, a := range []Attribute{{"", Text}, {"degree", Integer}, {"key", Text}, {"linked", Boolean}, {"vertex", Text},
		{"a\nb", Text}, {strings.Repeat("a", 256), Text}, {"\xff", Text}} {
		if err := a.check(); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", a.Name, err)
		}
	}
	for _, a := range []Attribute{{"a", 0}, {"a", 5}} {
		if err := a.check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", a.Type, err)
		}
	}
	for _, a := range []Attribute{{"Degree", Text}, {"a b", Boolean}, {"größe", Float}, {strings.Repeat("a", 255), Integer}} {
		if err := a.check(); err != nil {
			t.Error(err)
		}
	}
}

// A value tells its type and nothing of the others, and is read back from its
// text as the same value.
func TestValue_Accessors(t *testing.T) {
	for _, c := range []struct {
		value   Value
		kind    Type
		text    string
		integer int64
		float   float64
		boolean bool
		shown   string
	}{
		{Value{}, 0, "", 0, 0, false, ""},
		{TextValue("é"), Text, "é", 0, 0, false, "é"},
		{TextValue(""), Text, "", 0, 0, false, ""},
		{IntegerValue(math.MinInt64), Integer, "", math.MinInt64, -0x1p63, false, "-9223372036854775808"},
		{IntegerValue(1), Integer, "", 1, 1, false, "1"},
		{FloatValue(0.1), Float, "", 0, 0.1, false, "0.1"},
		{FloatValue(math.Copysign(0, -1)), Float, "", 0, 0, false, "0"},
		{BooleanValue(true), Boolean, "", 0, 0, true, "true"},
		{BooleanValue(false), Boolean, "", 0, 0, false, "false"},
	} {
		v := c.value
		if v.Type() != c.kind || v.IsMissing() != (c.kind == 0) || v.Text() != c.text || v.Integer() != c.integer ||
			v.Float() != c.float || v.Boolean() != c.boolean || v.String() != c.shown {
			t.Errorf("%#v is shown as %q", v, v)
		}
		if v.IsMissing() {
			continue
		}
		if again, err := ParseValue(v.Type(), v.String()); err != nil || again != v {
			t.Errorf("%#v is read back as %#v, %v", v, again, err)
		}
	}
}

func TestParseValue_Invalid(t *testing.T) {
	for _, c := range []struct {
		kind Type
		text string
	}{
		{Integer, ""}, {Integer, "1.5"}, {Integer, "9223372036854775808"}, {Float, "x"}, {Float, "1e999"}, {Float, "NaN"},
		{Float, "inf"}, {Boolean, "1"}, {Boolean, ""}, {0, "x"}, {Type(9), "x"}, {Text, "\xff"}, {Text, "a\x00b"},
	} {
		if v, err := ParseValue(c.kind, c.text); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q as %v: %v, %v", c.text, c.kind, v, err)
		}
	}
	if _, err := ParseValue(Text, strings.Repeat("x", maxText+1)); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	if _, err := ParseValue(Text, strings.Repeat("x", maxText)); err != nil {
		t.Error(err)
	}
}

// randomValue is a value of a type, sometimes missing, often one of few.
func randomValue(random *rand.Rand, kind Type) Value {
	if random.IntN(4) == 0 {
		return Value{}
	}
	few := random.IntN(2) == 0
	switch kind {
	case Text:
		switch {
		case few:
			return TextValue([]string{"", "a", "Bern", "a text longer than eight bytes", "é"}[random.IntN(5)])
		case random.IntN(100) == 0:
			return TextValue(strings.Repeat("long ", 1+random.IntN(3000)))
		}
		return TextValue(fmt.Sprint("text ", random.IntN(1e6)))
	case Integer:
		if few {
			return IntegerValue(int64(random.IntN(5)))
		}
		return IntegerValue(int64(random.Uint64() >> random.IntN(64)))
	case Float:
		if few {
			return FloatValue(float64(random.IntN(3)) / 2)
		}
		return FloatValue(random.NormFloat64() * math.Pow(10, float64(random.IntN(600)-300)))
	}
	return BooleanValue(few)
}

// A column agrees with a map after random changes.
func TestColumn_Set(t *testing.T) {
	const n = 300
	for kind := Text; kind <= Boolean; kind++ {
		random := rand.New(rand.NewPCG(uint64(kind), 1))
		c := NewColumn(Attribute{"a", kind}, n)
		want := make(map[uint32]Value)
		for step := range 2000 {
			v, x := uint32(random.IntN(n)), randomValue(random, kind)
			if step == 1000 {
				c.compact()
			}
			if err := c.Set(v, x); err != nil {
				t.Fatal(err)
			}
			delete(want, v)
			if !x.IsMissing() {
				want[v] = x
			}
		}
		if c.Len() != n || c.Count() != len(want) || c.Bytes() < n/8 {
			t.Errorf("%v: %d of %d values, want %d; %d bytes", kind, c.Count(), c.Len(), len(want), c.Bytes())
		}
		for v := range uint32(n) {
			x := want[v]
			if c.At(v) != x || c.IsMissing(v) != x.IsMissing() || c.Text(v) != x.Text() || c.Boolean(v) != x.Boolean() {
				t.Fatalf("%v: vertex %d has %v, want %v", kind, v, c.At(v), x)
			}
			switch {
			case kind == Integer && c.Integers()[v] != x.Integer(), kind == Float && c.Floats()[v] != x.Float(),
				kind == Text && c.TextOf(c.Codes()[v]) != x.Text():
				t.Fatalf("%v: the list has another value than %v for vertex %d", kind, x, v)
			}
		}
		if (kind == Integer) != (c.Integers() != nil) || (kind == Float) != (c.Floats() != nil) || (kind == Text) != (c.Codes() != nil) {
			t.Errorf("%v: lists of other types", kind)
		}
	}
}

// What does not fit is refused and changes nothing; integers become floats.
func TestColumn_Set_Types(t *testing.T) {
	values := map[Type]Value{Text: TextValue("1"), Integer: IntegerValue(1), Float: FloatValue(1), Boolean: BooleanValue(true)}
	for kind := Text; kind <= Boolean; kind++ {
		c := NewColumn(Attribute{"a", kind}, 2)
		for other, x := range values {
			err := c.Set(0, x)
			if fits := other == kind || (kind == Float && other == Integer); fits != (err == nil) || (!fits && !errors.Is(err, ErrInvalid)) {
				t.Errorf("%v in a column of %v: %v", other, kind, err)
			}
			if !c.IsMissing(0) && c.At(0).Type() != kind {
				t.Errorf("column of %v has %v", kind, c.At(0).Type())
			}
		}
		if err := c.Set(2, values[kind]); !errors.Is(err, ErrInvalid) {
			t.Errorf("vertex beyond the column: %v", err)
		}
	}
	floats := NewColumn(Attribute{"a", Float}, 1)
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := floats.Set(0, FloatValue(f)); !errors.Is(err, ErrInvalid) || !floats.IsMissing(0) {
			t.Errorf("%v: %v", f, err)
		}
	}
	texts := NewColumn(Attribute{"a", Text}, 1)
	for _, s := range []string{"\xff", "a\x00", strings.Repeat("x", maxText+1)} {
		if err := texts.Set(0, TextValue(s)); err == nil || !texts.IsMissing(0) {
			t.Errorf("%q: %v", clip(s), err)
		}
	}
}
