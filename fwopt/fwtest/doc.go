// Package fwtest tests other people's objectives, domains and methods against the
// contracts of package fwopt, as testing/slogtest does for log handlers.
package fwtest
