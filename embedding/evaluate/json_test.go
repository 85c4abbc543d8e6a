package evaluate

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"heavytail/embedding/jsonnull"
)

type innerJSON struct {
	A float64 `json:"a"`
}

func (i innerJSON) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(i) }

type outerJSON struct {
	Name string `json:"name"`
	innerJSON
	Inner  innerJSON `json:"inner"`
	Err    error     `json:"error"`
	None   error     `json:"none"`
	List   []int     `json:"list,omitempty"`
	Hidden int       `json:"-"`
	Big    float64   `json:"big"`
}

func (o outerJSON) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(o) }

func TestJSONNull_Marshal(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal([]outerJSON{{Name: "x", innerJSON: innerJSON{math.NaN()}, Inner: innerJSON{0.5}, Err: errors.New("no"), Hidden: 1, Big: math.Inf(1)}})
	if want := `[{"name":"x","a":null,"inner":{"a":0.5},"error":"no","none":null,"big":null}]`; err != nil || string(text) != want {
		t.Errorf("%s, want %s, %v", text, want, err)
	}
}

func TestJSONNull_Unmarshal(t *testing.T) {
	t.Parallel()
	var o outerJSON
	o.Hidden, o.None = 7, errors.New("before")
	err := jsonnull.Unmarshal([]byte(`{"name":"x","a":null,"inner":{"a":0.5},"error":"no","none":null,"big":2,"more":1}`), &o)
	if err != nil || o.Name != "x" || !math.IsNaN(o.A) || o.Inner.A != 0.5 || o.Err.Error() != "no" || o.None != nil || o.Big != 2 || o.Hidden != 7 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, text := range []string{`3`, `{"name":1}`, `{"a":"x"}`, `{"error":1}`} {
		if err := jsonnull.Unmarshal([]byte(text), &o); err == nil {
			t.Errorf("%s is read: %+v", text, o)
		}
	}
}
