package fwsum_test

import "fmt"

// panics returns what f panics with, "" if it does not.
func panics(f func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}
