// Goroutines that wait in all the ways a dump tells apart.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type pool struct{ jobs chan int }

func (p *pool) work(name string) {
	for range p.jobs {
		time.Sleep(time.Millisecond)
	}
}

func receive[T any](c chan T) T { return <-c }

func lock(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
}

// A stack of more than 100 frames is cut in the middle.
func deep(n int, c chan int) {
	if n == 0 {
		receive(c)
		return
	}
	deep(n-1, c)
}

func accept() {
	listener, err := net.Listen("tcp", "localhost:0")
	if err == nil {
		listener.Accept()
	}
}

func main() {
	p := &pool{jobs: make(chan int)}
	for i := 0; i < 3; i++ {
		go p.work("worker")
	}
	c := make(chan int)
	go func() { receive(c) }()
	var mu sync.Mutex
	mu.Lock()
	go lock(&mu)
	go func() { runtime.LockOSThread(); select {} }()
	go func() { var none chan int; <-none }()
	go deep(110, c)
	go accept()
	time.Sleep(200 * time.Millisecond)
	switch os.Args[1] {
	case "dump":
		pprof.Lookup("goroutine").WriteTo(os.Stdout, 2)
	case "panic":
		panic("a worker said: goroutine 7 [running]: lost")
	case "wait":
		time.Sleep(time.Hour)
	}
}
