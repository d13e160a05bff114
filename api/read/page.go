package read

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxPageQuery is how long the query of a further page may be, in bytes.
const maxPageQuery = 2 << 10

// NextPage gives the query that asks for the page after this one of a listing,
// or nil when the answer speaks of none. The spec has no pages ("sends: only
// the authorization header"), so only what an answer itself tells is asked.
// Of a link the query alone is taken, and only of one to the same host.
func NextPage(raw []byte, header http.Header, host string) url.Values {
	root, err := parseTree(raw)
	if err != nil {
		return nil
	}
	places := []*node{root, root.get("data"), root.get("result")}
	for _, p := range places[:3] {
		for _, name := range [...]string{"pagination", "paging", "pageinfo", "page", "meta", "links", "resultinfo"} {
			places = append(places, p.get(name))
		}
	}
	if models := root.at("data", "models"); models.is(shapeObject) {
		places = append(places, models, models.get("pageinfo"))
	}
	for _, p := range places {
		if q := pageLink(p, host); q != nil {
			return q
		}
	}
	if m := reNextLink.FindStringSubmatch(header.Get("Link")); m != nil {
		if q := linkQuery(m[1], host); q != nil {
			return q
		}
	}
	for _, p := range places {
		if q := pageCursor(p); q != nil {
			return q
		}
	}
	for _, p := range places {
		if q := pageNumber(p); q != nil {
			return q
		}
	}
	return nil
}

var reNextLink = regexp.MustCompile(`<([^<>]+)>\s*;[^,]*rel="?next"?`)

// pageLink reads the address of the next page.
func pageLink(p *node, host string) url.Values {
	for _, name := range [...]string{"next", "nexturl", "nextpageurl", "nextlink", "odatanextlink", "nextpage"} {
		c := p.get(name)
		if c.is(shapeObject) {
			c = c.any([]string{"href", "url"})
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
	if len(link) > 2*maxPageQuery {
		return nil
	}
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.User != nil || u.Host != "" && u.Host != host || len(u.RawQuery) > maxPageQuery ||
		u.Path != "" && !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/models") && u.Path != "models" {
		return nil
	}
	q := u.Query()
	if len(q) == 0 {
		return nil
	}
	return q
}

// cursorNames are the keys of cursors and the parameters that take them.
var cursorNames = [...]struct{ key, param string }{
	{"nextcursor", "cursor"}, {"nextpagecursor", "cursor"}, {"endcursor", "after"}, {"nextpagetoken", ""}, {"nexttoken", ""},
	{"continuationtoken", ""}, {"nextmarker", "marker"}, {"nextpage", "page"}, {"next", "cursor"}, {"lastid", "after"}, {"cursor", "cursor"},
}

// pageCursor reads a cursor of what follows. Those that stand in every answer
// count only beside a word that there is more.
func pageCursor(p *node) url.Values {
	more, told := false, false
	for _, name := range [...]string{"hasmore", "hasnextpage", "hasnext", "more", "istruncated"} {
		if c := p.get(name); c.is(shapeBool) {
			more, told = c.text == "true", true
		}
	}
	if told && !more {
		return nil
	}
	for _, c := range cursorNames {
		n := p.get(c.key)
		if !n.says() || n.shape != shapeString && n.shape != shapeNumber || len(n.text) > maxPageQuery || strings.Contains(n.text, "/") && c.key == "next" {
			continue
		}
		if (c.key == "lastid" || c.key == "cursor" || c.key == "endcursor") && !more {
			continue
		}
		param := c.param
		if param == "" { // as the answer spells it, without "next": pageToken, page_token
			param = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(n.key, "next"), "Next"), "_")
			param = strings.ToLower(param[:1]) + param[1:]
		}
		return url.Values{param: {n.text}}
	}
	return nil
}

// pageNumber reads a page or an offset out of a total.
func pageNumber(p *node) url.Values {
	whole := func(names ...string) (n int, key string) {
		for _, name := range names {
			c := p.get(name)
			if v, err := strconv.Atoi(c.scalar()); err == nil && v >= 0 && v < 1e6 {
				return v, c.key
			}
		}
		return -1, ""
	}
	total, _ := whole("total", "totalcount", "totalitems", "totalelements")
	size, sizeKey := whole("perpage", "pagesize", "limit", "size", "itemsperpage")
	if at, key := whole("offset", "skip"); at >= 0 && size > 0 {
		if at+size >= total {
			return nil
		}
		return url.Values{key: {strconv.Itoa(at + size)}, sizeKey: {strconv.Itoa(size)}}
	}
	page, key := whole("page", "pageno", "pagenum", "pageindex", "currentpage", "current", "pagenumber")
	pages, _ := whole("totalpages", "pages", "lastpage", "pagecount", "pagestotal")
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
