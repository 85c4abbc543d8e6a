package parser

// Check is CHECK.
//
//	check        = "CHECK"                                  e.g. CHECK;
type Check struct{ Range }

func (*Check) Heading() string { return "CHECK" }

func (p *parser) check() Statement { return &Check{} }

func (s *Check) String() string { return "CHECK" }

// Compact is COMPACT.
//
//	compact      = "COMPACT"                                e.g. COMPACT;
type Compact struct{ Range }

func (*Compact) Heading() string { return "COMPACT" }

func (p *parser) compact() Statement { return &Compact{} }

func (s *Compact) String() string { return "COMPACT" }

// Backup is BACKUP INTO FILE 'file' [WITH (…)].
//
//	backup       = "BACKUP" "INTO" "FILE" string [ options ] e.g. BACKUP INTO FILE 'social.backup' WITH (overwrite := true);
type Backup struct {
	Range
	File    Value // String or Param
	Options []Option
}

func (*Backup) Heading() string { return "BACKUP" }

func (p *parser) backup() Statement {
	return &Backup{File: p.intoFile(), Options: p.withOptions(new(Backup))}
}

func (s *Backup) String() string { return "BACKUP" + intoFile(s.File) + withOptions(s.Options) }

// Recover is RECOVER INTO FILE 'file' [WITH (…)].
//
//	recover      = "RECOVER" "INTO" "FILE" string [ options ] e.g. RECOVER INTO FILE 'social.ht';
type Recover struct {
	Range
	File    Value // String or Param
	Options []Option
}

func (*Recover) Heading() string { return "RECOVER" }

func (p *parser) recoverFile() Statement {
	return &Recover{File: p.intoFile(), Options: p.withOptions(new(Recover))}
}

func (s *Recover) String() string { return "RECOVER" + intoFile(s.File) + withOptions(s.Options) }
