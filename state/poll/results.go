package poll

import (
	"net/url"
	"slices"

	"darkroom/api"
	"darkroom/state/store"
)

// refreshed gives the results of a newer answer in the order of the known ones, so
// that result n stays the one whose file has the number n: services list the same
// results in any order and sign their addresses again. A result that cannot be
// recognized takes a free place, and what does not fit follows; the download tells
// those apart by their content (see download.fetch).
func refreshed(known, fresh []api.Result) []api.Result {
	if len(known) == 0 || len(fresh) == 0 {
		return fresh
	}
	list, same := slices.Clone(known), pairs(known, fresh)
	var left []api.Result
	for j, r := range fresh {
		if i := slices.Index(same, j); i >= 0 {
			list[i] = r
		} else {
			left = append(left, r)
		}
	}
	for i := range list {
		if same[i] < 0 && len(left) > 0 {
			list[i], left = left[0], left[1:]
		}
	}
	return append(list, left...)
}

// relinked gives the known results with the fresh addresses of those that are
// recognized for certain, and these addresses by number from 1: nothing is
// downloaded that could tell the others apart.
func relinked(known, fresh []api.Result) (list []api.Result, links map[int]string) {
	list, links = slices.Clone(known), map[int]string{}
	same := pairs(known, fresh)
	if len(known) == 1 && len(fresh) == 1 {
		same = []int{0}
	}
	for i, j := range same {
		if j >= 0 && fresh[j].URL != "" {
			list[i], links[i+1] = fresh[j], fresh[j].URL
		}
	}
	return list, links
}

// pairs finds for each known result the index of the same one in fresh by their
// addresses: -1 when there is none or several are as good.
func pairs(known, fresh []api.Result) []int {
	from, to := addresses(known), addresses(fresh)
	list := make([]int, len(known))
	for i := range list {
		list[i] = likest(from[i], to)
		if j := list[i]; j >= 0 && likest(to[j], from) != i {
			list[i] = -1
		}
	}
	return list
}

// likest is the index of the one address that has the most in common with
// another; -1 when none has anything, or several have as much.
func likest(of *url.URL, among []*url.URL) int {
	index, top := -1, 0
	for i, address := range among {
		switch alike := likeness(of, address); {
		case alike > top:
			index, top = i, alike
		case alike == top:
			index = -1
		}
	}
	return index
}

// likeness says how much two addresses have in common: 0 when they are of two
// results, because the paths differ. The parameters that are the same count for
// services with one path for all files; signatures are among those that differ.
func likeness(a, b *url.URL) int {
	if a == nil || b == nil || a.Path != b.Path || a.Path == "" {
		return 0
	}
	alike, theirs := 1, b.Query()
	for name, values := range a.Query() {
		if slices.Equal(theirs[name], values) {
			alike++
		}
	}
	return alike
}

// addresses parses the results' addresses; nil stands for one without.
func addresses(results []api.Result) []*url.URL {
	list := make([]*url.URL, len(results))
	for i, r := range results {
		if u, err := url.Parse(r.URL); err == nil && r.URL != "" {
			list[i] = u
		}
	}
	return list
}

// unproven gives the saved files, by number, that the addresses do not prove to be
// of the result with the same number.
func unproven(results []api.Result, have map[int]store.File) map[int]store.File {
	saved := make([]api.Result, len(results))
	for i := range saved {
		saved[i].URL = have[i+1].URL
	}
	files := map[int]store.File{}
	for i, j := range pairs(saved, results) {
		if f, ok := have[i+1]; ok && j != i && (f.URL == "" || f.URL != results[i].URL) {
			files[i+1] = f
		}
	}
	return files
}
