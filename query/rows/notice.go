package rows

import "time"

// Notice is a remark about an answer.
type Notice struct {
	Statement string `json:"statement"`        // the kind of statement, such as "NEAREST"
	Text      string `json:"text"`             // one clause, without a full stop
	Early     bool   `json:"early"`            // given before the work, about its effects
	Advice    bool   `json:"advice,omitempty"` // a suggestion of a further statement, not a remark on the answer
}

// String returns the text.
func (n Notice) String() string { return n.Text }

// Progress is the progress of a statement.
type Progress struct {
	Statement string        // the kind of statement, such as "IMPORT"
	Stage     string        // what it is doing, such as "reading"; figures may follow a colon
	Done      int64         // units done in this stage
	Total     int64         // units of the whole stage; 0 if unknown
	Unit      string        // "bytes", "pairs", "rows", "edges", "vertices", "walks", "coordinates", "objects", "trials", "passes", "seconds" or "steps"
	Elapsed   time.Duration // since the statement began
	Rate      float64       // units a second in this stage; 0 until known
	Remaining time.Duration // of this stage at the present rate; 0 until known
}
