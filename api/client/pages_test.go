package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Three pages in every way in which listings tell of them.
func TestModelsPages(t *testing.T) {
	t.Parallel()
	one := func(id string) string { return `[{"id":"` + id + `","type":"image"}]` }
	for name, w := range map[string]struct {
		pages [3]string // the last tells of no further one
		asks  [2]string
		link  [3]string
	}{
		"next link":     {pages: [3]string{`{"next":"/api/v1/models?cursor=b","results":%s}`, `{"next":"SELF/api/v1/models?cursor=c","results":%s}`, `{"next":null,"results":%s}`}, asks: [2]string{"cursor=b", "cursor=c"}},
		"links.next":    {pages: [3]string{`{"links":{"next":{"href":"?page=2"}},"data":%s}`, `{"links":{"next":{"href":"?page=3"}},"data":%s}`, `{"links":{"next":null},"data":%s}`}, asks: [2]string{"page=2", "page=3"}},
		"next_cursor":   {pages: [3]string{`{"has_more":true,"next_cursor":"b","models":%s}`, `{"has_more":true,"next_cursor":"c","models":%s}`, `{"has_more":false,"next_cursor":null,"models":%s}`}, asks: [2]string{"cursor=b", "cursor=c"}},
		"last_id":       {pages: [3]string{`{"has_more":true,"last_id":"m1","data":%s}`, `{"has_more":true,"last_id":"m2","data":%s}`, `{"has_more":false,"last_id":"m3","data":%s}`}, asks: [2]string{"after=m1", "after=m2"}},
		"nextPageToken": {pages: [3]string{`{"nextPageToken":"b","models":%s}`, `{"nextPageToken":"c","models":%s}`, `{"models":%s}`}, asks: [2]string{"pageToken=b", "pageToken=c"}},
		"page of pages": {pages: [3]string{`{"data":{"page":1,"total_pages":3,"items":%s}}`, `{"data":{"page":2,"total_pages":3,"items":%s}}`, `{"data":{"page":3,"total_pages":3,"items":%s}}`}, asks: [2]string{"page=2", "page=3"}},
		"page of total": {pages: [3]string{`{"code":0,"data":{"total":3,"pageSize":1,"pageNum":1,"list":%s}}`, `{"code":0,"data":{"total":3,"pageSize":1,"pageNum":2,"list":%s}}`, `{"code":0,"data":{"total":3,"pageSize":1,"pageNum":3,"list":%s}}`}, asks: [2]string{"pageNum=2", "pageNum=3"}},
		"offset":        {pages: [3]string{`{"offset":0,"limit":1,"total":3,"items":%s}`, `{"offset":1,"limit":1,"total":3,"items":%s}`, `{"offset":2,"limit":1,"total":3,"items":%s}`}, asks: [2]string{"limit=1&offset=1", "limit=1&offset=2"}},
		"Link header":   {pages: [3]string{`%s`, `%s`, `%s`}, asks: [2]string{"page=2", "page=3"}, link: [3]string{`<https://x.example/>; rel="prev", <SELF/api/v1/models?page=2>; rel="next"`, `</api/v1/models?page=3>; rel="next"`, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := 0
			client, calls := recordedClient(t, func(rw http.ResponseWriter, r *http.Request) {
				self := func(s string) string { return strings.ReplaceAll(s, "SELF", "http://"+r.Host) }
				if w.link[page] != "" {
					rw.Header().Set("Link", self(w.link[page]))
				}
				fmt.Fprintf(rw, self(w.pages[page]), one(fmt.Sprintf("m%d", page+1)))
				page++
			})
			models, err := client.Models(context.Background())
			if err != nil || len(models) != 3 || models[2].ID != "m3" {
				t.Errorf("%+v, %v", models, err)
			}
			path := "GET /prefix/api/v1/models"
			if got, want := fmt.Sprint(calls()), fmt.Sprint([]string{path, path + "?" + w.asks[0], path + "?" + w.asks[1]}); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A further page cannot lead away, go round in circles or take the first away.
func TestModelsPagesEnd(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"elsewhere":      `{"next":"https://evil.example/api/v1/models?page=2","data":[{"id":"a"}]}`,
		"another path":   `{"next":"/api/v1/keys?page=2","data":[{"id":"a"}]}`,
		"no more":        `{"has_more":false,"next_cursor":"b","data":[{"id":"a"}]}`,
		"one page":       `{"page":1,"per_page":50,"total":1,"data":[{"id":"a"}]}`,
		"a cursor alone": `{"cursor":"b","last_id":"a","data":[{"id":"a"}]}`,
		"too long":       `{"next_cursor":"` + strings.Repeat("b", 1<<14) + `","data":[{"id":"a"}]}`,
	} {
		client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) })
		if models, err := client.Models(context.Background()); err != nil || len(models) != 1 || len(calls()) != 1 {
			t.Errorf("%s: %+v, %v, %q", name, models, err, calls())
		}
	}
	for name, second := range map[string]http.HandlerFunc{
		"the same again": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"next_cursor":"b","data":[{"id":"a"}]}`)
		},
		"a refusal": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"a page":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") },
	} {
		client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != "" {
				second(w, r)
				return
			}
			io.WriteString(w, `{"next_cursor":"b","data":[{"id":"a"}]}`)
		})
		if models, err := client.Models(context.Background()); err != nil || len(models) != 1 || len(calls()) != 2 {
			t.Errorf("%s: %+v, %v, %q", name, models, err, calls())
		}
	}
	n := 0
	client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		fmt.Fprintf(w, `{"next_cursor":"%d","data":[{"id":"m%d"}]}`, n, n)
	})
	if models, err := client.Models(context.Background()); err != nil || len(models) != maxPages || len(calls()) != maxPages {
		t.Errorf("%d models after %d calls: %v", len(models), len(calls()), err)
	}
}
