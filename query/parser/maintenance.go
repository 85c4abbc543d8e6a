package parser

// Check is CHECK.
type Check struct{ Range }

// Compact is COMPACT.
type Compact struct{ Range }

// Backup is BACKUP INTO FILE 'file' [WITH (…)].
type Backup struct {
	Range
	File    Value // String or Param
	Options []Option
}

// Recover is RECOVER INTO FILE 'file' [WITH (…)].
type Recover struct {
	Range
	File    Value // String or Param
	Options []Option
}
