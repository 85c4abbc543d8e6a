package block

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/sample"
)

func TestParseType(t *testing.T) {
	for _, kind := range []Type{Text, Integer, Float, Boolean} {
		if got, err := ParseType(strings.ToUpper(kind.String())); err != nil || got != kind {
			t.Errorf("%v is read as %v, %v", kind, got, err)
		}
	}
	for _, name := range []string{"", "missing", "int", "type 7"} {
		if got, err := ParseType(name); !errors.Is(err, fault.ErrInvalid) {
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
		if err := a.Validate(); !errors.Is(err, fault.ErrName) {
			t.Errorf("%q: %v", a.Name, err)
		}
	}
	for _, a := range []Attribute{{"a", 0}, {"a", 5}} {
		if err := a.Validate(); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%v: %v", a.Type, err)
		}
	}
	for _, a := range []Attribute{{"Degree", Text}, {"a b", Boolean}, {"größe", Float}, {strings.Repeat("a", 255), Integer}} {
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// A value has its type and no value of another type, and its text is read back as the same
// value.
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
		if v, err := ParseValue(c.kind, c.text); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q as %v: %v, %v", c.text, c.kind, v, err)
		}
	}
	if _, err := ParseValue(Text, strings.Repeat("x", MaxText+1)); !errors.Is(err, fault.ErrLimit) {
		t.Error(err)
	}
	if _, err := ParseValue(Text, strings.Repeat("x", MaxText)); err != nil {
		t.Error(err)
	}
}

// randomValue is sample.Value as a Value.
func randomValue(random *rand.Rand, kind Type) Value {
	switch x := sample.Value(random, kind.String()).(type) {
	case string:
		return TextValue(x)
	case int64:
		return IntegerValue(x)
	case float64:
		return FloatValue(x)
	case bool:
		return BooleanValue(x)
	}
	return Value{}
}

// After random changes a column agrees with a map.
func TestColumn_Set(t *testing.T) {
	const n = 300
	for kind := Text; kind <= Boolean; kind++ {
		random := rand.New(rand.NewPCG(uint64(kind), 1))
		c := NewColumn(Attribute{"a", kind}, n)
		want := make(map[uint32]Value)
		for step := range 2000 {
			v, x := uint32(random.IntN(n)), randomValue(random, kind)
			if step == 1000 {
				CompactColumn(c)
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

// An unsuitable value is refused and changes nothing; integers become floats.
func TestColumn_Set_Types(t *testing.T) {
	values := map[Type]Value{Text: TextValue("1"), Integer: IntegerValue(1), Float: FloatValue(1), Boolean: BooleanValue(true)}
	for kind := Text; kind <= Boolean; kind++ {
		c := NewColumn(Attribute{"a", kind}, 2)
		for other, x := range values {
			err := c.Set(0, x)
			if fits := other == kind || (kind == Float && other == Integer); fits != (err == nil) || (!fits && !errors.Is(err, fault.ErrInvalid)) {
				t.Errorf("%v in a column of %v: %v", other, kind, err)
			}
			if !c.IsMissing(0) && c.At(0).Type() != kind {
				t.Errorf("column of %v has %v", kind, c.At(0).Type())
			}
		}
		if err := c.Set(2, values[kind]); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("vertex beyond the column: %v", err)
		}
	}
	floats := NewColumn(Attribute{"a", Float}, 1)
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := floats.Set(0, FloatValue(f)); !errors.Is(err, fault.ErrInvalid) || !floats.IsMissing(0) {
			t.Errorf("%v: %v", f, err)
		}
	}
	texts := NewColumn(Attribute{"a", Text}, 1)
	for _, s := range []string{"\xff", "a\x00", strings.Repeat("x", MaxText+1)} {
		if err := texts.Set(0, TextValue(s)); err == nil || !texts.IsMissing(0) {
			t.Errorf("%q: %v", fault.Clip(s), err)
		}
	}
}

// TestValue_JSON writes values as JSON and reads them back with their types.
func TestValue_JSON(t *testing.T) {
	t.Parallel()
	values := []Value{
		{}, TextValue(""), TextValue("null"), TextValue("a\"\n<é>"), IntegerValue(0), IntegerValue(math.MinInt64), IntegerValue(1<<53 + 1),
		FloatValue(2), FloatValue(-0.5), FloatValue(1e300), FloatValue(math.SmallestNonzeroFloat64), BooleanValue(true), BooleanValue(false),
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[null,"","null","a\"\n\u003cé\u003e",0,-9223372036854775808,9007199254740993,2.0,-0.5,1e+300,5e-324,true,false]`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var read []Value
	if err := json.Unmarshal(text, &read); err != nil || !slices.Equal(read, values) {
		t.Errorf("%v, %v", read, err)
	}
	for _, bad := range []string{`{}`, `[1]`, `9223372036854775808`, `1e999`} {
		var v Value
		if err := json.Unmarshal([]byte(bad), &v); err == nil {
			t.Errorf("%s is read as %v", bad, v)
		}
	}
	if text, err := json.Marshal(FloatValue(math.Inf(1))); err == nil {
		t.Errorf("infinity is %s", text)
	}
}
