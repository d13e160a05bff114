package expand

import "strings"

// maxCount is where counting stops: whatever has so many expansions has too
// many.
const maxCount = 1 << 30

// count is how many texts the parts stand for, equal ones included.
func count(parts []part) int {
	n := 1
	for i := range parts {
		n = min(n*parts[i].count(), maxCount)
	}
	return n
}

func (p *part) count() int {
	if p.alternatives == nil {
		return 1
	}
	// ways[k] is in how many ways k of the alternatives so far are chosen.
	ways := make([]int, max(p.choose, 1)+1)
	ways[0] = 1
	for _, a := range p.alternatives {
		n := count(a)
		for k := len(ways) - 1; k > 0; k-- {
			ways[k] = min(ways[k]+min(ways[k-1]*n, maxCount), maxCount)
		}
	}
	return ways[len(ways)-1]
}

// texts are all that the parts stand for, the last choice changing first.
func texts(parts []part) []string {
	all := []string{""}
	for i := range parts {
		options := parts[i].texts()
		next := make([]string, 0, len(all)*len(options))
		for _, a := range all {
			for _, o := range options {
				next = append(next, a+o)
			}
		}
		all = next
	}
	return all
}

func (p *part) texts() []string {
	if p.alternatives == nil {
		return []string{p.literal}
	}
	var all []string
	if p.choose > 0 {
		p.combine(0, nil, &all)
		return all
	}
	for _, a := range p.alternatives {
		all = append(all, texts(a)...)
	}
	return all
}

// combine adds every choice of as many alternatives as are to be chosen, those
// before from being decided.
func (p *part) combine(from int, chosen []string, all *[]string) {
	if len(chosen) == p.choose {
		*all = append(*all, strings.Join(chosen, ", "))
		return
	}
	for i := from; i <= len(p.alternatives)-(p.choose-len(chosen)); i++ {
		for _, t := range texts(p.alternatives[i]) {
			p.combine(i+1, append(chosen[:len(chosen):len(chosen)], strings.TrimSpace(t)), all)
		}
	}
}
