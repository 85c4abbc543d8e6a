package query

import "heavytail/query/rows"

// Statements are what the language consists of.
var Statements = statements

// HelpRows are the rows of HELP for a topic.
func HelpRows(topic ...string) ([][]rows.Value, error) {
	table, err := helpOn(families(), nil, topic)
	if err != nil {
		return nil, err
	}
	return table.rows, nil
}

// EachHelpRow yields the rows of every topic of HELP, with the topic.
func EachHelpRow(yield func(topic string, row []rows.Value) bool) {
	for _, topic := range helpTopics(Helps()) {
		for _, row := range topic.rows {
			if !yield(topic.name, row) {
				return
			}
		}
	}
}
