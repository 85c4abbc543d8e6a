// Package option describes options: those of statements, embedding methods, measures and
// generators. A [Schema] declares each option of a struct once, by a [Field] with its name, type,
// range, default, explanation and place in the struct. From it come the list that HELP prints and
// that flags are made of ([Schema.Infos]), the struct of given values ([Schema.Bind]), the checks of
// a struct that a program has filled ([Schema.Check]), and the options that a struct sets, for the
// text of a statement ([Schema.Given]) and for records ([Schema.Settings]).
//
// A field that is zero is an option that is not given. Options for which zero is a value of its own
// are pointers, or have a word in place of the number.
package option
