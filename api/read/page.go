package read

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"darkroom/api"
)

// maxPageQuery is how long the query of a further page may be, in bytes.
const maxPageQuery = 2 << 10

var (
	reNextLink = api.Pattern(`<([^<>]+)>\s*;[^,]*rel="?next"?`)
)

// NextPage gives the query that asks for the page after this one of a listing,
// or nil when the answer names none. The spec has no pages ("sends: only
// the authorization header"), so only what an answer itself says is asked.
// Of a link the query alone is taken, and only of one to the same host.
func NextPage(raw []byte, header http.Header, host string) url.Values {
	root, err := parseTree(raw)
	if err != nil {
		return nil
	}
	outer := root.places("", "data", "result")
	places := outer
	for _, p := range outer {
		places = append(places, p.places(words().PageNodes...)...)
	}
	if root.at("data.models").is(shapeObject) {
		places = append(places, root.places("data.models", "data.models.pageinfo")...)
	}
	byLink := func(p *node) url.Values { return pageLink(p, host) }
	byHeader := func(*node) url.Values {
		m := append(reNextLink().FindStringSubmatch(header.Get("Link")), "", "")
		return linkQuery(m[1], host)
	}
	for _, read := range [...]func(*node) url.Values{byLink, byHeader, pageCursor, pageNumber} {
		for _, p := range places {
			if q := read(p); q != nil {
				return q
			}
		}
	}
	return nil
}

// pageLink reads the address of the next page.
func pageLink(p *node, host string) url.Values {
	for c := range p.each(words().NextLinks) {
		if c.is(shapeObject) {
			c = c.any(words().LinkKeys)
		}
		if c.is(shapeString) && strings.ContainsAny(c.text, "/?") {
			if q := linkQuery(c.text, host); q != nil {
				return q
			}
		}
	}
	return nil
}

func linkQuery(link, host string) url.Values {
	u, err := url.Parse(strings.TrimSpace(link))
	if len(link) > 2*maxPageQuery || err != nil || u.User != nil || u.Host != "" && u.Host != host || len(u.RawQuery) > maxPageQuery ||
		u.Path != "" && !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/models") && u.Path != "models" {
		return nil
	}
	if q := u.Query(); len(q) > 0 {
		return q
	}
	return nil
}

func pageCursor(p *node) url.Values {
	more, known := false, false
	for c := range p.each(words().MoreKeys) {
		if c.is(shapeBool) {
			more, known = c.text == "true", true
		}
	}
	for _, cursor := range words().Cursors {
		key, param, _ := strings.Cut(cursor, ":")
		param, unsure := strings.CutPrefix(param, "?")
		n := p.get(key)
		if known && !more || unsure && !more || !n.says() || n.shape != shapeString && n.shape != shapeNumber ||
			len(n.text) > maxPageQuery || strings.Contains(n.text, "/") && key == "next" {
			continue
		}
		if param == "=" { // as the answer spells it: pageToken, page_token
			param = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(n.key, "next"), "Next"), "_")
			param = strings.ToLower(param[:1]) + param[1:]
		}
		return url.Values{param: {n.text}}
	}
	return nil
}

// pageNumber reads a page or an offset out of a total.
func pageNumber(p *node) url.Values {
	whole := func(names []string) (int, string) {
		for c := range p.each(names) {
			if v, err := strconv.Atoi(c.scalar()); err == nil && v >= 0 && v < 1e6 {
				return v, c.key
			}
		}
		return -1, ""
	}
	total, _ := whole(words().TotalKeys)
	size, sizeKey := whole(words().SizeKeys)
	if at, key := whole(words().OffsetKeys); at >= 0 && size > 0 {
		if at+size >= total {
			return nil
		}
		return url.Values{key: {strconv.Itoa(at + size)}, sizeKey: {strconv.Itoa(size)}}
	}
	page, key := whole(words().PageKeys)
	pages, _ := whole(words().PagesKeys)
	if pages < 0 && total > 0 && size > 0 {
		pages = (total + size - 1) / size
	}
	if page < 1 || page >= pages {
		return nil
	}
	if strings.HasPrefix(strings.ToLower(key), "current") {
		key = "page"
	}
	return url.Values{key: {strconv.Itoa(page + 1)}}
}
