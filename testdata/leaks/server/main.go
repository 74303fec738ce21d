// A server that leaks, or only seems to, by its first argument:
//
//	goroutines  each request leaves a goroutine behind that waits for a channel
//	map         each request adds an entry to a map; a few percent of all that is allocated
//	cache       entries are kept until the cache is full
//	sawtooth    records are collected and dropped together, again and again
//
// The second argument is the folder for the profiles, the third how many are taken. The server asks itself.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"strconv"
	"time"
)

var (
	sessions = map[string][]byte{}
	cache    = map[int][]byte{}
	batch    [][]byte
	requests int
	wait     = make(chan bool)
	scratch  []byte
)

const (
	cacheEntries = 120
	batchRecords = 150
)

func leakGoroutine(w http.ResponseWriter, r *http.Request) {
	go waitForAnswer()
	fmt.Fprintln(w, "asked")
}

func waitForAnswer() { <-wait }

func leakInMap(w http.ResponseWriter, r *http.Request) {
	sessions[fmt.Sprint("session ", requests)] = newSession()
	render(w)
}

func newSession() []byte { return make([]byte, 16<<10) }

// render allocates much more than is kept, all of it garbage.
func render(w io.Writer) {
	var page bytes.Buffer
	for page.Len() < 256<<10 {
		page.WriteString("a line of a page\n")
	}
	scratch = page.Bytes()[:1]
	w.Write(scratch)
	scratch = nil
}

func fillCache(w http.ResponseWriter, r *http.Request) {
	key := requests % (2 * cacheEntries)
	if _, there := cache[key]; !there && len(cache) < cacheEntries {
		cache[key] = loadEntry()
	}
	render(w)
}

func loadEntry() []byte { return make([]byte, 64<<10) }

func collectRecord(w http.ResponseWriter, r *http.Request) {
	batch = append(batch, newRecord())
	if len(batch) == batchRecords {
		batch = nil
	}
	render(w)
}

func newRecord() []byte { return make([]byte, 64<<10) }

func fetch(url, path string) {
	reply, err := http.Get(url)
	check(err)
	defer reply.Body.Close()
	file, err := os.Create(path)
	check(err)
	_, err = io.Copy(file, reply.Body)
	check(err)
	check(file.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	modes := map[string]http.HandlerFunc{"goroutines": leakGoroutine, "map": leakInMap, "cache": fillCache,
		"sawtooth": collectRecord}
	http.HandleFunc("/work", modes[os.Args[1]])
	server := httptest.NewServer(nil)
	folder := os.Args[2]
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	for i := 1; i <= count; i++ {
		for n := 0; n < 40; n++ {
			requests++
			reply, err := http.Get(server.URL + "/work")
			check(err)
			io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
		}
		time.Sleep(200 * time.Millisecond)
		kind := "heap"
		if os.Args[1] == "goroutines" {
			kind = "goroutine"
		}
		fetch(server.URL+"/debug/pprof/"+kind+"?gc=1", fmt.Sprintf("%s/%s-%02d.pb.gz", folder, kind, i))
	}
}
