package jsonnull

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
)

type inner struct {
	A float64 `json:"a"`
}

func (i inner) MarshalJSON() ([]byte, error) { return Marshal(i) }

type outer struct {
	Name string `json:"name"`
	inner
	Inner  inner   `json:"inner"`
	Err    error   `json:"error"`
	None   error   `json:"none"`
	List   []int   `json:"list,omitempty"`
	Hidden int     `json:"-"`
	Big    float64 `json:"big"`
}

func (o outer) MarshalJSON() ([]byte, error) { return Marshal(o) }

func TestMarshal(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]outer{{Name: "x", inner: inner{math.NaN()}, Inner: inner{0.5}, Err: errors.New("no"), Hidden: 1, Big: math.Inf(1)}})
	if want := `[{"name":"x","a":null,"inner":{"a":0.5},"error":"no","none":null,"big":null}]`; err != nil || string(text) != want {
		t.Errorf("%s, want %s, %v", text, want, err)
	}
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	var o outer
	o.Hidden, o.None = 7, errors.New("before")
	err := Unmarshal([]byte(`{"name":"x","a":null,"inner":{"a":0.5},"error":"no","none":null,"big":2,"more":1}`), &o)
	if err != nil || o.Name != "x" || !math.IsNaN(o.A) || o.Inner.A != 0.5 || o.Err.Error() != "no" || o.None != nil || o.Big != 2 || o.Hidden != 7 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, text := range []string{`3`, `{"name":1}`, `{"a":"x"}`, `{"error":1}`} {
		if err := Unmarshal([]byte(text), &o); err == nil {
			t.Errorf("%s is read: %+v", text, o)
		}
	}
}
