package read

import (
	_ "embed"
	"slices"
	"strings"

	"darkroom/api"
)

//go:embed vocabulary.txt
var vocabularyText string

// tables are the words of vocabulary.txt by the name of their table.
var tables = parseTables(vocabularyText)

func parseTables(text string) map[string][]string {
	out := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if first, ok := strings.CutSuffix(words[0], ":"); ok {
			name, words = first, words[1:]
		}
		out[name] = append(out[name], words...)
	}
	return out
}

// fields gives a table as a list, in the order in which its words are tried.
func fields(name string) []string {
	if tables[name] == nil {
		panic("no table " + name + " in vocabulary.txt")
	}
	return slices.Clip(tables[name])
}

// vocabulary holds the status words and the lists of keys. What is not in it is
// read by shape where that is safe; status words are the exception, since only a
// known word may end a job.
type vocabulary struct {
	statuses map[string]api.StatusClass
	lists    map[list][]string
}

// list names one list of keys.
type list string

const (
	jobNodes      list = "keys.jobNodes"
	statusKeys    list = "keys.statusKeys"
	jobIDKeys     list = "keys.jobIDKeys"
	taskIDKeys    list = "keys.taskIDKeys"
	plainIDKeys   list = "keys.plainIDKeys"
	otherIDKeys   list = "keys.otherIDKeys"
	requestIDKeys list = "keys.requestIDKeys"
	pollURLKeys   list = "keys.pollURLKeys"
	resultNodes   list = "keys.resultNodes"
	mediaKeys     list = "keys.mediaKeys"
	reasonKeys    list = "keys.reasonKeys"
	messageKeys   list = "keys.messageKeys"
	codeKeys      list = "keys.codeKeys"
	modelNodes    list = "keys.modelNodes"
	modelIDKeys   list = "keys.modelIDKeys"
	labelKeys     list = "keys.labelKeys"
	kindKeys      list = "keys.kindKeys"
	priceKeys     list = "keys.priceKeys"
	amountKeys    list = "keys.amountKeys"
	progressKeys  list = "keys.progressKeys"
	expectedKeys  list = "keys.expectedKeys"
)

// idLists are the lists of id keys, best first. The last holds keys that are a
// trace of the call when another id stands beside them.
var idLists = [...]list{jobIDKeys, taskIDKeys, plainIDKeys, otherIDKeys, requestIDKeys}

// words is the reader's vocabulary.
var words = newVocabulary()

func newVocabulary() *vocabulary {
	l := &vocabulary{statuses: map[string]api.StatusClass{}, lists: map[list][]string{}}
	for name, table := range tables {
		if class, ok := strings.CutPrefix(name, "status."); ok {
			for _, w := range table {
				l.statuses[w] = api.StatusClass(class)
			}
		} else if strings.HasPrefix(name, "keys.") {
			l.lists[list(name)] = table
		}
	}
	return l
}

func (l *vocabulary) has(name list, word string) bool { return slices.Contains(l.lists[name], word) }
