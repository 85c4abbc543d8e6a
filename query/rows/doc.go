// Package rows has what every statement takes and gives in the same form: the rows of an answer
// with the types of their columns, its notices, the progress of the work, and parameters that are
// texts without a type.
package rows
