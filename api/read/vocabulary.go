package read

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"sync"

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

// parseTables gives the words of each table.
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
