package sim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

const posterName = "poster.jpg"

// file is a file of the job, made when it is first wanted.
func (s *Server) file(j *job, name string) (data []byte, mediaType string) {
	in := input(j.request)
	m := in.Media(s.o.LongSide)
	if name == posterName && in.Kind == api.KindVideo {
		return m.Poster(), "image/jpeg"
	}
	return s.painter.File(in, m), m.Type
}

// link is the address of a job's file; it works for Options.LinkLife.
func (s *Server) link(j *job, name string, now time.Time) string {
	path := pathFiles + j.id + "/" + name
	until := strconv.FormatInt(now.Add(s.o.LinkLife).UnixMilli(), 10)
	return s.URL() + path + "?expires=" + until + "&signature=" + s.sign(path, until)
}

func (s *Server) sign(path, until string) string {
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprint(mac, path, "\x00", until)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// result serves a file at its signed address, without a key.
func (x *Exchange) result() (Answer, *Refusal) {
	until, signature := x.Request.URL.Query().Get("expires"), x.Request.URL.Query().Get("signature")
	if !hmac.Equal([]byte(signature), []byte(x.s.sign(x.path(), until))) {
		return Answer{}, refusal(http.StatusForbidden, "bad_signature", "The signature of this address is wrong.")
	}
	if ms, err := strconv.ParseInt(until, 10, 64); err != nil || time.Now().UnixMilli() >= ms {
		return Answer{}, refusal(http.StatusForbidden, "link_expired", "This address has expired. Read the job again for a fresh one.")
	}
	id, name, _ := strings.Cut(strings.TrimPrefix(x.path(), pathFiles), "/")
	j := x.s.findJob(id, "")
	if j == nil || j.status(time.Now()) != Completed {
		return Answer{}, refusal(http.StatusNotFound, "not_found", "There is no such file.")
	}
	data, mediaType := x.s.file(j, name)
	sum := sha256.Sum256(data)
	a := Answer{
		Status: http.StatusOK, Type: mediaType, Body: data,
		Header: http.Header{"Cache-Control": {"private, max-age=3600"}, "Etag": {fmt.Sprintf(`"%x"`, sum[:8])}, "Accept-Ranges": {"bytes"}},
	}
	x.cutToRange(&a)
	return a, nil
}

// cutToRange cuts a file to what a Range header asks for: one range of bytes
// with a first byte, for the file that If-Range names (RFC 9110, 14.2). Any
// other Range is answered with the whole file, as a server may.
func (x *Exchange) cutToRange(a *Answer) {
	text, ok := strings.CutPrefix(x.Request.Header.Get("Range"), "bytes=")
	if tag := x.Request.Header.Get("If-Range"); !ok || tag != "" && tag != a.Header.Get("Etag") {
		return
	}
	from, to, _ := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	last := len(a.Body) - 1
	if n, bad := strconv.Atoi(to); to != "" {
		if bad != nil || n < first {
			return
		}
		last = min(n, last)
	}
	switch {
	case err != nil || first < 0:
		return
	case first >= len(a.Body):
		a.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", len(a.Body)))
		a.Status, a.Type, a.Body = http.StatusRequestedRangeNotSatisfiable, "", nil
		return
	}
	a.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(a.Body)))
	a.Status, a.Body = http.StatusPartialContent, a.Body[first:last+1]
}
