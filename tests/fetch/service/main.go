// A service with work to do and net/http/pprof, for tests of fetching. It prints its address.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"sync"
	"time"
)

var (
	lock sync.Mutex
	kept [][]byte
)

func work() {
	for {
		lock.Lock()
		sum := 0
		for i := 0; i < 200000; i++ {
			sum += i * i
		}
		kept = append(kept, make([]byte, 4096+sum&1))
		if len(kept) > 1000 {
			kept = nil
		}
		lock.Unlock()
		time.Sleep(100 * time.Microsecond)
	}
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 4096
	go work()
	go work()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	http.Serve(listener, nil)
}
