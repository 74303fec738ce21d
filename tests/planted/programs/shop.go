// Prices a list of orders; shop ROUNDS PROFILE [KIND]. Each function has about a tenth of the time.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"

	"example.com/shop/rules"
)

type row struct {
	ID, Item     string
	Price, Count int
}

var word = regexp.MustCompile("^[a-z]+-[0-9]+$")

//go:noinline
func parse(lines []string) []row {
	rows := make([]row, 0, len(lines))
	for _, line := range lines {
		fields := strings.Split(line, ",")
		price, _ := strconv.Atoi(fields[2])
		count, _ := strconv.Atoi(fields[3])
		rows = append(rows, row{fields[0], fields[1], price, count})
	}
	return rows
}

//go:noinline
func index(rows []row) map[string]int {
	found := make(map[string]int, 600)
	for _, r := range rows {
		found[r.Item] += r.Count
	}
	return found
}

//go:noinline
func total(rows []row) int {
	amount := 0
	for i := range rows {
		for k := 0; k < 40; k++ {
			amount += rows[i].Price * (rows[i].Count ^ k)
		}
	}
	return amount
}

//go:noinline
func lookup(rows []row, wanted map[string]bool) int {
	hits := 0
	for _, r := range rows {
		if wanted[r.Item] {
			hits++
		}
	}
	return hits
}

//go:noinline
func render(rows []row) string {
	var out strings.Builder
	for _, r := range rows {
		out.WriteString(r.ID)
		out.WriteString(strconv.Itoa(r.Count))
		out.WriteString(r.Item)
	}
	return out.String()
}

//go:noinline
func clean(rows []row) int {
	size := 0
	for _, r := range rows {
		size += len(strings.ToUpper(r.Item))
	}
	return size
}

//go:noinline
func order(rows []row) string {
	keys := make([]row, 400)
	copy(keys, rows)
	sort.Slice(keys, func(a, b int) bool { return keys[a].Price < keys[b].Price })
	return keys[0].ID
}

//go:noinline
func encode(rows []row) int {
	size := 0
	for _, r := range rows[:100] {
		text, _ := json.Marshal(r)
		size += len(text)
	}
	return size
}

//go:noinline
func price(rows []row) float64 {
	amount := 0.0
	for _, r := range rows {
		amount += rules.Discount(r.Count, 20)
	}
	return amount
}

//go:noinline
func checksum(text string) uint32 {
	value := uint32(1)
	for i := 0; i < len(text); i++ {
		value = value*31 + uint32(text[i])
	}
	return value
}

var mutex sync.Mutex
var shared int

//go:noinline
func count(n int) {
	mutex.Lock()
	shared += n
	mutex.Unlock()
}

// Counts from several goroutines; only the profiles of mutexes and blocking need them.
func contend(rows []row) {
	var done sync.WaitGroup
	for worker := 0; worker < 4; worker++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for _, r := range rows {
				count(r.Count)
				runtime.Gosched()
			}
		}()
	}
	done.Wait()
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	kind := "cpu"
	if len(os.Args) > 3 {
		kind = os.Args[3]
	}
	file, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	runtime.MemProfileRate = 4096
	if kind == "cpu" {
		runtime.MemProfileRate = 0
		runtime.SetCPUProfileRate(500)
		pprof.StartCPUProfile(file)
	}
	runtime.SetMutexProfileFraction(1)
	var lines []string
	wanted := map[string]bool{}
	for n := 0; n < 1000; n++ {
		lines = append(lines, fmt.Sprintf("%d,item-%d,%d,%d", n, n*7919%512, n*31%97, n%13+1))
		wanted[fmt.Sprintf("item-%d", n*3%512)] = true
	}
	seen := 0
	for i := 0; i < rounds; i++ {
		rows := parse(lines)
		seen += len(index(rows)) + total(rows) + lookup(rows, wanted) + clean(rows)
		seen += len(order(rows)) + encode(rows) + int(price(rows))
		seen += int(checksum(render(rows)))
		if kind == "mutex" {
			contend(rows)
		}
	}
	fmt.Println(seen, word != nil)
	if kind == "cpu" {
		pprof.StopCPUProfile()
	} else {
		runtime.GC()
		pprof.Lookup(kind).WriteTo(file, 0)
	}
	file.Close()
}
