package parser

// TrainModel is TRAIN MODEL m IN g [USING e | heuristics(name, …), …] [WITH (…)]
// [IN BACKGROUND].
type TrainModel struct {
	Range
	Model      Ident
	Graph      Ident
	Embedding  *Ident  // nil where none is named
	Heuristics []Ident // nil where heuristics(…) was left out
	Options    []Option
	Background bool
}

// DropModel is DROP MODEL m.
type DropModel struct {
	Range
	Model Ident
}

// DescribeModel is DESCRIBE MODEL m.
type DescribeModel struct {
	Range
	Model Ident
}

func (*TrainModel) statement()    {}
func (*DropModel) statement()     {}
func (*DescribeModel) statement() {}

func (s *TrainModel) String() string {
	text := "TRAIN MODEL " + s.Model.String() + " IN " + s.Graph.String()
	word := " USING "
	if s.Embedding != nil {
		text += word + s.Embedding.String()
		word = ", "
	}
	if s.Heuristics != nil {
		text += word + "heuristics(" + list(s.Heuristics) + ")"
	}
	return text + withOptions(s.Options) + background(s.Background)
}

func (s *DropModel) String() string { return "DROP MODEL " + s.Model.String() }

func (s *DescribeModel) String() string { return "DESCRIBE MODEL " + s.Model.String() }
