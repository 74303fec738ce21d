// Command tools prepares the files of testdata: it takes the paths of the recording machine out of
// profiles, makes the small valid and the broken files, and writes the manifest.
// It uses nothing but Go's standard library and none of the code under test.
package main

import (
	"fmt"
	"os"
	"strings"
)

const usage = `usage: tools scrub FROM TO FILE...   replace the path prefix FROM by TO in profiles
       tools valid DIR              write the small valid profiles
       tools broken DIR             write the broken files and their README
       tools manifest DIR           print the manifest of DIR
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tools: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "scrub":
		for _, file := range args[3:] {
			if err := scrubFile(file, args[1], args[2]); err != nil {
				return fmt.Errorf("cannot scrub '%s': %w", file, err)
			}
		}
		return nil
	case len(args) == 2 && args[0] == "valid":
		return writeValid(args[1])
	case len(args) == 2 && args[0] == "broken":
		return writeBroken(args[1])
	case len(args) == 2 && args[0] == "manifest":
		text, err := manifest(args[1])
		fmt.Print(text)
		return err
	}
	return fmt.Errorf("wrong arguments '%s'\n%s", strings.Join(args, " "), usage)
}
