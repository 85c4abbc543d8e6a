package query

import "heavytail/query/parser"

// This file binds the statements that look after the file.

// storeOptions are the options of the statements that write a store.
func storeOptions() []OptionInfo { return []OptionInfo{overwriteOption()} }

// storeFile returns the file that a statement writes a store to.
func (b *binder) storeFile(statement parser.Statement, file parser.Value, options []parser.Option) (path string, overwrite bool, err error) {
	if path, err = b.text(partInto, file); err != nil {
		return "", false, err
	}
	set, err := b.settings(parser.Heading(statement), storeOptions(), options)
	if err != nil {
		return "", false, err
	}
	overwrite = set.boolean("overwrite")
	return path, overwrite, b.checkStoreOutput(path, overwrite)
}

func (b *binder) backupStatement(s *parser.Backup) (op *backupOp, err error) {
	op = &backupOp{}
	op.req.Path, op.req.Overwrite, err = b.storeFile(s, s.File, s.Options)
	return op, err
}

func (b *binder) recoverStatement(s *parser.Recover) (op *recoverOp, err error) {
	b.mark(partStatement, s)
	op = &recoverOp{}
	if op.req.Path, op.req.Overwrite, err = b.storeFile(s, s.File, s.Options); err != nil {
		return nil, err
	}
	return op, b.checkRecover(op.req)
}
