// Command server answers requests of its own clients for a few seconds and writes every profile
// that runtime/pprof knows, in both forms. Handlers run under pprof labels. With -cached the search
// is answered from a cache and the shop locks each tenant by itself, so that two runs differ.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

var tenants = []string{"acorn", "birch", "cedar & sons", "dogwood"}

type server struct {
	cached    bool
	documents []string
	mutex     sync.RWMutex
	found     map[string][]string
	shops     map[string]*shop
	oneLock   sync.Mutex
	jobs      chan []byte
	late      sync.Mutex
	history   [][]byte
	reports   [64]string
}

type shop struct {
	mutex sync.Mutex
	Items map[string]int `json:"items"`
}

func newServer(cached bool) *server {
	s := &server{
		cached: cached,
		found:  map[string][]string{},
		shops:  map[string]*shop{},
		jobs:   make(chan []byte),
	}
	for i := 0; i < 3000; i++ {
		sum := crc32.ChecksumIEEE([]byte{byte(i), byte(i >> 8)})
		s.documents = append(s.documents, fmt.Sprintf("document %d of shelf %x", i, sum))
	}
	for _, tenant := range tenants {
		s.shops[tenant] = &shop{Items: map[string]int{}}
	}
	return s
}

// labelled runs a handler under the labels of its request.
func labelled(endpoint string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		labels := pprof.Labels("endpoint", endpoint, "tenant", r.FormValue("tenant"))
		pprof.Do(r.Context(), labels, func(ctx context.Context) { handle(w, r.WithContext(ctx)) })
	}
}

func (s *server) search(w http.ResponseWriter, r *http.Request) {
	query := r.FormValue("q")
	if s.cached {
		s.mutex.RLock()
		hits, ok := s.found[query]
		s.mutex.RUnlock()
		if ok {
			fmt.Fprintln(w, len(hits))
			return
		}
	}
	var hits []string
	pprof.Do(r.Context(), pprof.Labels("phase", "match"), func(context.Context) {
		hits = s.match(query)
	})
	pprof.Do(r.Context(), pprof.Labels("phase", "rank"), func(context.Context) {
		rank(hits)
	})
	s.mutex.Lock()
	s.found[query] = hits
	s.mutex.Unlock()
	fmt.Fprintln(w, len(hits))
}

func (s *server) match(query string) []string {
	pattern := regexp.MustCompile("shelf .*" + regexp.QuoteMeta(query))
	var hits []string
	for _, document := range s.documents {
		if pattern.MatchString(document) {
			hits = append(hits, document)
		}
	}
	return hits
}

func rank(hits []string) {
	sort.Slice(hits, func(i, j int) bool {
		return crc32.ChecksumIEEE([]byte(hits[i])) < crc32.ChecksumIEEE([]byte(hits[j]))
	})
}

func (s *server) checkout(w http.ResponseWriter, r *http.Request) {
	shop := s.shops[r.FormValue("tenant")]
	lock := &s.oneLock
	if s.cached {
		lock = &shop.mutex
	}
	lock.Lock()
	defer lock.Unlock()
	shop.Items[r.FormValue("q")]++
	text, err := json.Marshal(shop)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.jobs <- text
}

func (s *server) report(w http.ResponseWriter, r *http.Request) {
	lines := make([]string, 0, len(s.documents))
	for i, document := range s.documents {
		if i%8 == 0 {
			lines = append(lines, strings.ToUpper(document)+" for "+r.FormValue("tenant"))
		}
	}
	text := strings.Join(lines, "\n")
	s.late.Lock()
	s.reports[crc32.ChecksumIEEE([]byte(r.URL.RawQuery))%64] = text
	s.late.Unlock()
	fmt.Fprint(w, text)
}

// work takes jobs and keeps the last ones, so that the heap has something alive.
func (s *server) work(ctx context.Context) {
	pprof.Do(ctx, pprof.Labels("pool", "jobs"), func(context.Context) {
		for job := range s.jobs {
			time.Sleep(100 * time.Microsecond)
			s.late.Lock()
			s.history = append(s.history, job)
			if len(s.history) > 4000 {
				s.history = s.history[1:]
			}
			s.late.Unlock()
		}
	})
}

func client(address string, number int, stop <-chan struct{}) {
	paths := []string{"search", "checkout", "report", "search"}
	for i := number; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		url := fmt.Sprintf("http://%s/%s?q=%x&tenant=%s", address, paths[i%len(paths)], i%97,
			strings.ReplaceAll(strings.ReplaceAll(tenants[i%len(tenants)^i/8%2], "&", "%26"), " ", "+"))
		response, err := http.Get(url)
		if err != nil {
			log.Fatal("request failed: ", err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			log.Fatal("response failed: ", err)
		}
		response.Body.Close()
	}
}

// writeProfiles begins with the heap, so that writing the others does not show in it.
func writeProfiles(dir string) error {
	runtime.GC()
	for _, name := range []string{"heap", "allocs", "mutex", "block", "goroutine", "threadcreate"} {
		for debug, suffix := range []string{".pb.gz", ".debug1.txt"} {
			if err := writeProfile(filepath.Join(dir, name+suffix), name, debug); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeProfile(path, name string, debug int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.Lookup(name).WriteTo(file, debug); err != nil {
		return err
	}
	return file.Close()
}

func main() {
	cached := flag.Bool("cached", false, "answer searches from a cache")
	duration := flag.Duration("duration", 8*time.Second, "how long to run")
	dir := flag.String("dir", ".", "where the profiles go")
	flag.Parse()
	if err := run(*cached, *duration, *dir); err != nil {
		log.Fatal(err)
	}
}

func run(cached bool, duration time.Duration, dir string) error {
	runtime.SetMutexProfileFraction(5)
	runtime.SetBlockProfileRate(20000)
	s := newServer(cached)
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 8
	http.HandleFunc("/search", labelled("search", s.search))
	http.HandleFunc("/checkout", labelled("checkout", s.checkout))
	http.HandleFunc("/report", labelled("report", s.report))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { log.Fatal(http.Serve(listener, nil)) }()
	for i := 0; i < 2; i++ {
		go s.work(context.Background())
	}
	cpu, err := os.Create(filepath.Join(dir, "cpu.pb.gz"))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	stop := make(chan struct{})
	for i := 0; i < 8; i++ {
		go client(listener.Addr().String(), i, stop)
	}
	time.Sleep(duration)
	pprof.StopCPUProfile()
	if err := cpu.Close(); err != nil {
		return err
	}
	err = writeProfiles(dir) // with the clients still at work
	close(stop)
	return err
}
