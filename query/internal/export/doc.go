// Package export writes files: it has their formats, options and checks.
package export
