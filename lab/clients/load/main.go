// The lab's clients: a load on both machines' etcd with a history of every operation, and what judges that history.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
)

var commands = map[string]func(arguments []string) error{
	"load":      runLoad,
	"check":     runCheck,
	"verify":    runVerify,
	"revisions": runRevisions,
	"clean":     runClean,
}

// The verdict was printed, and is no.
var errVerdict = errors.New("the verdict is no")

func main() {
	name, arguments := "", []string{}
	if len(os.Args) > 1 {
		name, arguments = os.Args[1], os.Args[2:]
	}
	command := commands[name]
	if command == nil {
		fmt.Fprintln(os.Stderr, "usage: clients load | check | verify | revisions | clean, with -h for each")
		os.Exit(2)
	}
	switch err := command(arguments); {
	case errors.Is(err, errVerdict):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func parse(name string, arguments []string, define func(set *flag.FlagSet)) error {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	define(set)
	return set.Parse(arguments)
}

type connect struct {
	endpoints     words
	ca, cert, key string
}

type words []string

func (w *words) String() string        { return fmt.Sprint(*w) }
func (w *words) Set(said string) error { *w = append(*w, said); return nil }

func (c *connect) flags(set *flag.FlagSet) {
	set.Var(&c.endpoints, "endpoint", "NAME=HOST:PORT, once for each machine")
	set.StringVar(&c.ca, "ca", "", "the site's CA")
	set.StringVar(&c.cert, "cert", "", "the client's certificate")
	set.StringVar(&c.key, "key", "", "and its key")
}

func (c *connect) dialAll() ([]*Endpoint, error) {
	credentials, err := readCredentials(c.ca, c.cert, c.key)
	if err != nil {
		return nil, err
	}
	var endpoints []*Endpoint
	for _, said := range c.endpoints {
		endpoint, err := dial(said, credentials)
		if err != nil {
			return nil, err
		}
		endpoints = append(endpoints, endpoint)
	}
	if len(endpoints) == 0 {
		return nil, errors.New("no endpoint is named")
	}
	return endpoints, nil
}

// One JSON line; an error where the verdict is no.
func answer(ok bool, verdict any) error {
	line, err := json.Marshal(verdict)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	if !ok {
		return errVerdict
	}
	return nil
}
