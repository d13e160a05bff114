package read

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"darkroom/api"
)

//go:embed vocabulary.txt
var vocabularyText string

// vocabulary holds the tables of vocabulary.txt, each in the field of its name.
// What is not in them is read by shape where that is safe; status words are the
// exception, since only a known word may end a job.
type vocabulary struct {
	statuses map[string]api.StatusClass
	idLists  [5][]string // the lists of id keys, best first; the last may be a trace of the call

	// Names in the order in which they are tried.
	JobNodes, StatusKeys, JobIDKeys, TaskIDKeys, PlainIDKeys, OtherIDKeys, RequestIDKeys, PollURLKeys, ResultNodes,
	MediaKeys, ReasonKeys, MessageKeys, CodeKeys, ModelNodes, ModelIDKeys, LabelKeys, KindKeys, PriceKeys, AmountKeys,
	ProgressKeys, ExpectedKeys, InnerJobs, StatusParts, DoneKeys, StatusPrefixes, IdEnds, NumberEnds, BareIDs,
	JobReferences, UrlIDKeys, OutputNodes, BestAddresses, AssetIDs, ExpiryKeys, TypeKeys, SuccessKeys, PlainErrors,
	ErrorKeys, ResultCodes, ResultTexts, Envelopes, InnerErrors, BetterReasons, InnerReasons, ReasonResults,
	UnlistedReasons, CodeNeighbours, MoreDetail, InnerTexts, UnlistedTexts, ClassCodes, TraceIDKeys, FieldPlaces,
	OneField, IssueFields, IssueTexts, WaitKeys, UnlistedIDEnds, LabelNodes, KindNodes, OutKeys, KindNameKeys,
	PlainIDs, ListSuffixes, InnerParameters, ParameterNames, DescribingKeys, DefaultPlaces, DefaultNodes, ValueKeys,
	ChoiceKeys, VariantKeys, DefaultKeys, MinKeys, MaxKeys, ListPrefixes, DefaultPrices, CurrencyKeys, UnitKeys,
	EstimateRoots, EstimateNodes, SumKeys, InnerSums, UnlistedAmounts, PageNodes, NextLinks, LinkKeys, MoreKeys,
	Cursors, TotalKeys, SizeKeys, OffsetKeys, PageKeys, PagesKeys []string

	NotJobs, EnvelopeWords, PlainFailures, NumberedJobs, UrlVerbs, MessageNodes, EchoNames, SoundEndings, GoodWords,
	GoodCodes, BadStatuses, IssueLists, TypeNames, WholeFields, PriceLabels nameSet

	ResultLike, ForeignStatus, StatusNames, NotJobIDs, JobNames, PollNames, OutputNames, SideAssets, NotOutputs,
	EarlyAddresses, VideoNames, ImageNames, HardReasons, NotTexts, ForeignIDs, DirectionHints, KindEnds, VideoWords,
	ImageWords, ParameterNodes, UnitSecond, UnitImage, UnitCall, PricePer, PriceEnds, NotPrices, OtherMoney,
	MoneyNames, Billing, PartAmounts, NotAmounts, WholeAmounts, RateUnits, RatePer *terms
}

// words is the reader's vocabulary, made when the first answer is read.
var words = sync.OnceValue(func() *vocabulary { return newVocabulary(parseTables(vocabularyText)) })

func parseTables(text string) map[string][]string {
	out := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		list := strings.Fields(line)
		if len(list) == 0 || list[0][0] == '#' {
			continue
		}
		if first, ok := strings.CutSuffix(list[0], ":"); ok {
			name, list = first, list[1:]
		}
		out[name] = append(out[name], list...)
	}
	return out
}

func newVocabulary(tables map[string][]string) *vocabulary {
	l := &vocabulary{statuses: map[string]api.StatusClass{}}
	byField := map[string][]string{}
	for name, table := range tables {
		if class, ok := strings.CutPrefix(name, "status."); ok {
			for _, w := range table {
				l.statuses[w] = api.StatusClass(class)
			}
		}
		byField[strings.ToLower(strings.TrimPrefix(name, "keys."))] = slices.Clip(table)
	}
	value := reflect.ValueOf(l).Elem()
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		table, known := byField[strings.ToLower(name)]
		if !value.Type().Field(i).IsExported() {
			continue
		}
		if !known {
			panic("no table " + name + " in vocabulary.txt")
		}
		switch field := value.Field(i).Addr().Interface().(type) {
		case *[]string:
			*field = table
		case *nameSet:
			*field = newSet(table)
		case **terms:
			*field = newTerms(table)
		}
	}
	l.ListSuffixes = append(l.ListSuffixes, "")
	l.idLists = [...][]string{l.JobIDKeys, l.TaskIDKeys, l.PlainIDKeys, l.OtherIDKeys, l.RequestIDKeys}
	return l
}

// fold makes task_id, taskId and Task-ID equal: lower case, letters and digits
// only.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxWord is how long a text may be that is one of a few known words, with all
// that folding takes off it.
const maxWord = 200

// foldWord is fold for values: a long text is no word, and is not folded.
func foldWord(s string) string {
	if len(s) > maxWord {
		return ""
	}
	return fold(s)
}

// terms is a set of terms that folded names are compared with.
type terms struct {
	whole                  map[string]bool
	prefix, suffix, within []string
}

// newTerms reads a table of terms: ^word$ is the whole name, ^word its beginning,
// word$ its end, and word a part of it.
func newTerms(table []string) *terms {
	t := &terms{whole: map[string]bool{}}
	for _, term := range table {
		word, first := strings.CutPrefix(term, "^")
		word, last := strings.CutSuffix(word, "$")
		switch {
		case first && last:
			t.whole[word] = true
		case first:
			t.prefix = append(t.prefix, word)
		case last:
			t.suffix = append(t.suffix, word)
		default:
			t.within = append(t.within, word)
		}
	}
	return t
}

func (t *terms) match(name string) bool {
	return t.whole[name] ||
		slices.ContainsFunc(t.prefix, func(w string) bool { return strings.HasPrefix(name, w) }) ||
		slices.ContainsFunc(t.suffix, func(w string) bool { return strings.HasSuffix(name, w) }) ||
		slices.ContainsFunc(t.within, func(w string) bool { return strings.Contains(name, w) })
}

// nameSet is a table as a set of whole names.
type nameSet map[string]bool

func newSet(table []string) nameSet {
	set := nameSet{}
	for _, w := range table {
		set[w] = true
	}
	return set
}

// statusIn gives the status value of one object.
func (l *vocabulary) statusIn(n *node) *node {
	c := first(n.each(l.StatusKeys), func(c *node) bool { return statusValue(c, 0) != nil })
	if c == nil {
		c = first(n.children, func(c *node) bool {
			return words().StatusNames.match(c.name) && !words().ForeignStatus.match(c.name) && (statusValue(c, 0).is(shapeString) || words().JobNames.match(c.name) && statusValue(c, 0) != nil)
		})
	}
	return statusValue(c, 0)
}

func statusValue(n *node, depth int) *node {
	switch {
	case n == nil || depth > 1:
		return nil
	case n.is(shapeString) && n.says():
		return n
	case n.is(shapeNumber):
		if f, _ := n.float(); f >= 100 && f < 600 { // an HTTP status, not a job's
			return nil
		}
		return n
	case n.is(shapeObject):
		return statusValue(first(n.each(words().StatusParts), func(c *node) bool { return statusValue(c, depth+1) != nil }), depth+1)
	}
	return nil
}

func doneIn(n *node) *node {
	return first(n.each(words().DoneKeys), func(c *node) bool { return c.is(shapeBool) })
}

// classify says what a status word means. Only an exact known word has a
// class of its own.
func (l *vocabulary) classify(word string) api.StatusClass {
	if strings.TrimSpace(word) == "" {
		return api.StatusNone
	}
	f := foldWord(word)
	if c, ok := l.statuses[f]; ok {
		return c
	}
	for _, p := range words().StatusPrefixes {
		if c, ok := l.statuses[strings.TrimPrefix(f, p)]; ok {
			return c
		}
	}
	return api.StatusUnlisted
}

// idText gives the id in a value: a string as it is, an integer by its digits.
func idText(n *node) string {
	switch {
	case n.is(shapeString):
		if s := strings.TrimSpace(n.text); len(s) <= maxID && s != "0" {
			return s
		}
	case n.is(shapeNumber) && n.says() && strings.Trim(n.text, "0123456789") == "":
		return n.text
	case n.is(shapeArray):
		return idText(n.first)
	}
	return ""
}

// idIn gives the id value of one object by its listed keys.
func (l *vocabulary) idIn(n *node) *node { return l.idOf(n, l.idLists[:]) }

// ownID is idIn without ids that may be a trace of the call.
func (l *vocabulary) ownID(n *node) *node { return l.idOf(n, l.idLists[:len(l.idLists)-1]) }

func (l *vocabulary) idOf(n *node, lists [][]string) *node {
	for _, names := range lists {
		if c := first(n.each(names), func(c *node) bool { return idText(c) != "" }); c != nil {
			return c
		}
	}
	return nil
}
