package history

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/state"
	"darkroom/ui/result"
	"darkroom/ui/result/recent"
)

// request is one that was sent, with its first file.
type request struct {
	state.Sent
	path    string // "" without a file
	pattern bool   // it was written as this, and sent as several
}

// version is a row: a request, or in the tree a prompt with its newest request.
type version struct {
	request int // the number of the request
	parent  int // the number of the request that it is a version of; -1: none
	times   int // how often the prompt was sent
	branch  string
}

const maxBranch = 6

// tree lists each prompt once, below the earlier one that it has most in common with, if
// that is most of it. The family that was sent last comes first.
func tree(found []request) []version {
	nodes := map[string]*node{}
	var prompts []*node // the oldest first
	for i := len(found) - 1; i >= 0; i-- {
		text := found[i].Request.Prompt
		n := nodes[text]
		if n == nil {
			n = &node{text: text, version: version{parent: -1}}
			nodes[text] = n
			prompts = append(prompts, n)
		}
		n.request, n.times = i, n.times+1
	}
	var roots []*node
	for i, n := range prompts {
		most, family := 0, &roots
		for _, earlier := range prompts[:i] {
			if same := shared(earlier.text, n.text); same > most && recent.SameChain(earlier.text, n.text) {
				most, n.parent, family = same, earlier.request, &earlier.children
			}
		}
		*family = append(*family, n)
	}
	slices.SortStableFunc(roots, func(a, b *node) int { return cmp.Compare(a.last(), b.last()) })
	var out []version
	for _, n := range roots {
		out = n.list(out, "", "")
	}
	return out
}

// shared is how many bytes two texts have in common at both ends.
func shared(a, b string) int {
	n, m := 0, 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for m < min(len(a), len(b))-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}

type node struct {
	version
	text     string
	children []*node
}

// last is the newest request of the node and those below it: the smallest number.
func (n *node) last() int {
	last := n.request
	for _, child := range n.children {
		last = min(last, child.last())
	}
	return last
}

// list appends the node and those below it, to which the branches own and below lead.
func (n *node) list(out []version, own, below string) []version {
	n.branch = own
	out = append(out, n.version)
	for i, child := range n.children {
		if len([]rune(below)) >= 2*maxBranch {
			out = child.list(out, own, below)
		} else if i < len(n.children)-1 {
			out = child.list(out, below+"├ ", below+"│ ")
		} else {
			out = child.list(out, below+"└ ", below+"  ")
		}
	}
	return out
}

// wordsBefore are the words and blanks that stand before the first new one.
const wordsBefore = 4

// changesOf are the words of a text from shortly before the first new one. Of a text
// that lacks words only, it is those, behind a minus sign.
func changesOf(before, after string) []result.Word {
	words := result.Words(after, before)
	if i := slices.IndexFunc(words, func(d result.Word) bool { return d.New && strings.TrimSpace(d.Text) != "" }); i > wordsBefore {
		from := i - wordsBefore
		if strings.TrimSpace(words[from].Text) == "" {
			from++
		}
		return append([]result.Word{{Text: "… "}}, words[from:]...)
	} else if i >= 0 {
		return words
	}
	out := []result.Word{{Text: "− "}}
	for _, d := range result.Words(before, after) {
		if d.New && (len(out) > 1 || strings.TrimSpace(d.Text) != "") {
			out = append(out, d)
		}
	}
	if len(out) == 1 {
		return words
	}
	return out
}
