// A small server that keeps the access contract, in the standard library of Go 1.21 or newer.
//
//	go run . make-key mara >> keys.txt    # the key itself goes to the error output, once
//	CERT_FILE=cert.pem CERT_KEY_FILE=key.pem PORT=8443 HTTP_PORT=8080 go run .
//
// Each place that keeps a clause is marked with the clause's id.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type record map[string]any

var workouts = map[string][]record{
	"mara": {
		{"id": 1, "name": "Long run", "date": "2025-03-02", "minutes": 74},
		{"id": 2, "name": "Intervals", "date": "2025-03-05", "minutes": 41},
	},
}

var exercises = []record{{"id": 1, "name": "Squat"}, {"id": 2, "name": "Plank"}}

var ingredients = []record{
	{"id": 1, "name": "Oats", "energy_kcal": 368},
	{"id": 2, "name": "Lentils", "energy_kcal": 352},
}

// AUTH-2: the word Token, one space, the key.
var documented = regexp.MustCompile(`^Token ([0-9a-f]{40})$`)

// digest: keys are random and long, so a plain hash is enough; a file of digests gives no key away.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

type api struct {
	// Digest of a key to its owner.
	owners map[string]string
}

// owner keeps AUTH-1: one field Authorization. Everything else is no key.
func (a api) owner(request *http.Request) (string, bool) {
	fields := request.Header.Values("Authorization")
	if len(fields) != 1 {
		return "", false
	}
	match := documented.FindStringSubmatch(fields[0])
	if match == nil {
		return "", false
	}
	given, found := digest(match[1]), ""
	for known, owner := range a.owners {
		if subtle.ConstantTimeCompare([]byte(known), []byte(given)) == 1 {
			found = owner
		}
	}
	return found, found != ""
}

// ServeHTTP keeps PATH-1 and AUTH-3: one switch says what is where and who may see it, so gate and router cannot
// disagree. It takes the place of http.ServeMux, which tidies paths up.
func (a api) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		response.Header().Set("Allow", "GET, HEAD")
		answer(response, http.StatusMethodNotAllowed, record{"detail": "This API is read with GET."})
		return
	}
	switch request.URL.Path {
	case "/api/v2/workout/":
		owner, known := a.owner(request)
		if !known {
			response.Header().Set("WWW-Authenticate", "Token")
			answer(response, http.StatusUnauthorized, record{"detail": "A key is needed: Authorization: Token <key>"})
			return
		}
		answer(response, http.StatusOK, page(workouts[owner]))
	case "/api/v2/exercise/": // AUTH-4: nobody is asked who they are
		answer(response, http.StatusOK, page(exercises))
	case "/api/v2/ingredient/":
		answer(response, http.StatusOK, page(ingredients))
	default:
		answer(response, http.StatusNotFound, record{"detail": "Nothing is here."})
	}
}

func page(results []record) record {
	if results == nil {
		results = []record{}
	}
	return record{"count": len(results), "results": results}
}

func answer(response http.ResponseWriter, status int, content record) {
	body, err := json.Marshal(content)
	if err != nil {
		http.Error(response, "cannot be shown", http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	response.Header().Set("Content-Length", strconv.Itoa(len(body)))
	// AUTH-3: what a key opens is for no cache.
	response.Header().Set("Cache-Control", "no-store")
	response.WriteHeader(status)
	_, _ = response.Write(body)
}

// useHTTPS keeps HTTPS-2: the plain port serves nothing, and does not look at who asks.
func useHTTPS(response http.ResponseWriter, _ *http.Request) {
	response.Header().Set("Connection", "close")
	http.Error(response, "This API is served over HTTPS only.", http.StatusForbidden)
}

func makeKey(owner string) error {
	random := make([]byte, 20)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	key := hex.EncodeToString(random)
	fmt.Println(digest(key), owner)
	fmt.Fprintf(os.Stderr, "key of %s, shown this once: %s\n", owner, key)
	return nil
}

func readOwners(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	owners := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) == 2 {
			owners[words[0]] = words[1]
		}
	}
	return owners, nil
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func serve() error {
	owners, err := readOwners(setting("KEYS_FILE", "keys.txt"))
	if err != nil {
		return err
	}
	host := setting("HOST", "127.0.0.1")
	secure, err := net.Listen("tcp", net.JoinHostPort(host, setting("PORT", "8443")))
	if err != nil {
		return err
	}
	plain, err := net.Listen("tcp", net.JoinHostPort(host, setting("HTTP_PORT", "8080")))
	if err != nil {
		return err
	}
	quiet := log.New(io.Discard, "", 0)
	patience := 30 * time.Second
	go func() {
		server := &http.Server{Handler: http.HandlerFunc(useHTTPS), ReadTimeout: patience, ErrorLog: quiet}
		log.Fatal(server.Serve(plain))
	}()
	fmt.Printf("BASE_URL=https://%s\nHTTP_BASE_URL=http://%s\n", secure.Addr(), plain.Addr())
	server := &http.Server{
		Handler:     api{owners: owners},
		ReadTimeout: patience,
		IdleTimeout: patience,
		TLSConfig:   &tls.Config{MinVersion: tls.VersionTLS12},
		ErrorLog:    quiet,
	}
	// HTTPS-1
	return server.ServeTLS(secure, setting("CERT_FILE", "cert.pem"), setting("CERT_KEY_FILE", "key.pem"))
}

func main() {
	run := serve
	if len(os.Args) == 3 && os.Args[1] == "make-key" {
		run = func() error { return makeKey(os.Args[2]) }
	} else if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: server [make-key OWNER]")
		os.Exit(2)
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
