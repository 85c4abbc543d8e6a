package help

// Method describes an embedding method.
type Method struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"` // one line
	Walks   bool     `json:"walks"`   // learns from walks, which vectors.Service.ExportWalks writes
	Options []Option `json:"options"`
}
