package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"darkroom/api"
)

// maxExplained is how long a file to explain may be, in bytes.
const maxExplained = 8 << 20

// explanation is a saved answer that a person asks about.
type explanation struct {
	file    string // "-" is standard input
	kind    string
	status  int
	headers []string // "Name: value"
}

func (x *explanation) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&x.file, "explain", "", "read an answer of a service from a file, or - for standard input, and say which path gave which value; the file may begin with the status line and headers, as curl -i writes them")
	cmd.Flags().StringVar(&x.kind, "kind", "image", "with --explain: the kind of the request that was answered, image or video")
	cmd.Flags().IntVar(&x.status, "status", http.StatusOK, "with --explain: the status of the answer")
	cmd.Flags().StringArrayVar(&x.headers, "header", nil, "with --explain: a header of the answer, as Name: value; repeat for several")
}

// explain prints what every reader makes of a saved answer.
func (p *program) explain(x explanation) error {
	kind := api.Kind(x.kind)
	switch {
	case kind != api.KindImage && kind != api.KindVideo:
		return usage("--kind: give image or video")
	case x.status < 100 || x.status > 599:
		return usage("--status: give a number from 100 to 599")
	}
	header := http.Header{}
	for _, line := range x.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return usage("--header %q: give it as Name: value", line)
		}
		header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	raw, err := p.savedAnswer(x.file)
	if err != nil {
		return err
	}
	status := x.status
	if whole, ok := wholeAnswer(raw); ok {
		status, raw = whole.status, whole.body
		for name, values := range whole.header {
			header[name] = append(header[name], values...)
		}
	}
	readings := api.Explain(raw, status, header, kind)
	if p.json {
		p.printJSON(map[string]any{"status": status, "readings": readings})
		return nil
	}
	p.printReadings(readings)
	return nil
}

func (p *program) savedAnswer(name string) ([]byte, error) {
	source := p.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, usage("%w", err)
		}
		defer file.Close()
		source = file
	}
	raw, err := io.ReadAll(io.LimitReader(source, maxExplained+1))
	if len(raw) > maxExplained {
		return nil, usage("--explain: the file is larger than 8 MiB, which is the most that darkroom reads of an answer")
	}
	return raw, err
}

type httpAnswer struct {
	status int
	header http.Header
	body   []byte
}

// wholeAnswer parts status line and headers from the body, when they are there.
func wholeAnswer(raw []byte) (httpAnswer, bool) {
	if !bytes.HasPrefix(raw, []byte("HTTP/")) {
		return httpAnswer{}, false
	}
	// HTTP/2 has no reason and no minor version, which net/http does not read.
	raw = bytes.Replace(raw, []byte("HTTP/2 "), []byte("HTTP/2.0 "), 1)
	head, body, ok := bytes.Cut(raw, []byte("\r\n\r\n"))
	if !ok {
		head, body, ok = bytes.Cut(raw, []byte("\n\n"))
	}
	if !ok {
		return httpAnswer{}, false
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(bytes.Clone(head), "\r\n\r\n"...))), nil)
	if err != nil {
		return httpAnswer{}, false
	}
	response.Body.Close()
	return httpAnswer{response.StatusCode, response.Header, body}, true
}

// readerTitles say what an answer is read as.
var readerTitles = map[string]string{
	"create":   "As the answer to a generation call",
	"job":      "As the answer about a job",
	"models":   "As the listing of models",
	"estimate": "As an estimate",
	"error":    "As a refusal",
}

func (p *program) printReadings(readings []api.Reading) {
	conceptWidth, pathWidth := 0, 0
	for _, r := range readings {
		conceptWidth = max(conceptWidth, min(len(r.Concept), 24))
		pathWidth = max(pathWidth, min(len(r.Path), 44))
	}
	reader := ""
	for _, r := range readings {
		if r.Reader != reader {
			if reader != "" {
				fmt.Fprintln(p.out)
			}
			reader = r.Reader
			fmt.Fprintln(p.out, readerTitles[reader])
		}
		value := strings.ReplaceAll(r.Value, "\n", " ")
		if r.Concept == "unread" {
			fmt.Fprintf(p.out, "  nothing: %s\n", value)
			continue
		}
		path := r.Path
		if path == "(root)" {
			path = "the whole"
		}
		fmt.Fprintf(p.out, "  %-*s  %-*s  %s\n", conceptWidth, r.Concept, pathWidth, path, value)
	}
}
