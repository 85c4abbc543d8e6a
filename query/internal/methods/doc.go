// Package methods binds and checks embedding methods with their options.
package methods
