// Package typed has what readers and writers of attributes say of format.Type in texts: its names, and whether a value
// has it.
package typed
