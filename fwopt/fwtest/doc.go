// Package fwtest tests other people's objectives and domains against the
// contracts of package fwopt, as testing/slogtest does for log handlers.
package fwtest
