// Package excerpt quotes text of files for messages.
package excerpt
