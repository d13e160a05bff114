package media

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

const recipeEnd = ".darkroom.json"

// maxRecipe bounds a recipe that is read, in bytes.
const maxRecipe = 1 << 20

// recipe is how a result was made. It has no key and no result address: those
// may be signed, and files are passed on.
type recipe struct {
	Job       string       `json:"job"`
	RemoteID  string       `json:"remote_id,omitempty"`
	Kind      api.Kind     `json:"kind"`
	Model     string       `json:"model"`
	Request   api.Request  `json:"request"`
	Credits   *api.Credits `json:"credits,omitempty"`
	Source    api.Source   `json:"credits_source,omitempty"`
	CreatedAt time.Time    `json:"created_at,omitzero"`
	SentAt    time.Time    `json:"sent_at,omitzero"`
	EndedAt   time.Time    `json:"finished_at,omitzero"`
	Files     []recipeFile `json:"files,omitempty"`
}

type recipeFile struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
}

// WriteRecipe writes NAME.darkroom.json next to the first file, unless there is no
// file, or the recipe is there already.
func (f *Fetcher) WriteRecipe(j store.Job) error {
	if len(j.Files) == 0 {
		return nil
	}
	stem, ok := resultStem(filepath.Base(j.Files[0].Path))
	if !ok || filepath.Dir(j.Files[0].Path) != filepath.Clean(f.Dir) { // saved while another folder was set
		return nil
	}
	r := recipe{
		Job: j.ID, RemoteID: j.RemoteID, Kind: j.Kind, Model: j.Model, Request: j.Request,
		CreatedAt: j.CreatedAt, SentAt: j.SentAt, EndedAt: j.EndedAt,
	}
	r.Request.MapAddresses(plainAddress)
	if j.Estimate.Known() {
		r.Credits, r.Source = &j.Estimate.Credits, j.Estimate.Source
	}
	r.Files = api.Map(j.Files, func(f store.File) recipeFile {
		return recipeFile{filepath.Base(f.Path), f.MediaType, f.Bytes, f.SHA256}
	})
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		to := filepath.Join(f.Dir, stem+recipeEnd)
		err = NewFile(to, 0o600, func(path string) error { return os.WriteFile(path, append(text, '\n'), 0o600) })
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// plainAddress cuts signatures and whole files out of the address of a material.
func plainAddress(_, s string) string {
	if strings.HasPrefix(strings.ToLower(s), "data:") {
		kind, _, _ := strings.Cut(s[len("data:"):], ",")
		kind, _, _ = strings.Cut(kind, ";")
		return fmt.Sprintf("data:%s (%d bytes as sent)", api.Clean(kind, 40), len(s))
	}
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// SavedRequest reads the request that a file holds as text or within a result,
// or that the recipe next to a result holds. Of a pipe or device it holds none:
// that may never come to an end.
func SavedRequest(path string) (r api.Request, ok bool, err error) {
	file, _, err := api.OpenRegular(path)
	if err != nil {
		if errors.Is(err, fs.ErrInvalid) {
			err = nil
		}
		return r, false, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxRecipe))
	if err != nil {
		return r, false, err
	}
	if bytes.HasPrefix(text, []byte(pngMark)) {
		text = within(file)
	}
	if r, ok = api.ReadRequest(string(text)); ok || strings.HasSuffix(path, recipeEnd) {
		return r, ok, nil
	}
	if r, ok, err = SavedRequest(strings.TrimSuffix(path, filepath.Ext(path)) + recipeEnd); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, ok, err
}

// within is the recipe that an earlier darkroom wrote into a PNG, as text.
func within(f io.ReaderAt) (recipe []byte) {
	const mark = "darkroom\x00\x00\x00\x00\x00"
	offset := int64(len(pngMark))
	for range maxWalk {
		head := readAt(f, offset, 8)
		if len(head) < 8 {
			break
		}
		length := int64(binary.BigEndian.Uint32(head))
		if string(head[4:]) == "iTXt" && length <= maxRecipe {
			if text, ok := bytes.CutPrefix(readAt(f, offset+8, int(length)), []byte(mark)); ok {
				recipe = text
			}
		}
		offset += 12 + length
	}
	return recipe
}
