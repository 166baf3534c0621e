// The first process of a pod: it does nothing, holds the pod's namespaces, and ends when it is told to.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	told := make(chan os.Signal, 16)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for which := range told {
		if which != syscall.SIGCHLD {
			return
		}
		// Where the pod's containers share one process namespace, their orphans become ours.
		for {
			if id, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || id <= 0 {
				break
			}
		}
	}
}
