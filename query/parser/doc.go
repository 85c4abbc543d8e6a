// Package parser turns the text of heavytail's query language into statements.
package parser
