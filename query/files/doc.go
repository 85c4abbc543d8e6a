// Package files has the requests and results of statements that write a file.
package files
