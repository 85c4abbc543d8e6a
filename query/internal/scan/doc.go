// Package scan goes through the vertices of a graph in memory that meet a condition, in an order.
package scan
