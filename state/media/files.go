package media

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// SaveAs copies a result file to a path or into a folder that exists, and
// returns the path of the copy. The copy is whole or not there; nothing is
// overwritten. A name without an ending gets that of the file. Errors are
// *Error.
func SaveAs(ctx context.Context, path, to string) (string, error) {
	if _, err := openable(path); err != nil {
		return "", err
	}
	if err := checkCopy(to); err != nil {
		return "", failed(err, whyUnwritten, to, whyNoCopy(err))
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		to = filepath.Join(to, filepath.Base(path))
	} else if to = filepath.Clean(to); filepath.Ext(to) == "" {
		to += filepath.Ext(path)
	}
	return to, NewFile(to, 0o644, func(part string) error {
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.OpenFile(part, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, api.ContextReader{Ctx: ctx, Reader: in})
		return errors.Join(err, out.Close())
	})
}

func whyNoCopy(err error) api.Reason {
	switch {
	case errors.Is(err, fs.ErrExist):
		return whyCopyThere.Reason()
	case errors.Is(err, fs.ErrPermission):
		return api.Sentence("no permission").Reason()
	}
	return api.ReasonOf(api.WithoutPath(err))
}

// CheckCopy reports why a result of any type cannot be copied to a path or into a
// folder, or further ones to the next free numbers.
func CheckCopy(to string) error {
	if err := checkCopy(to); err != nil {
		return err
	}
	if err := probed(probe(to)); err != nil {
		return &api.Fault{Reason: whyNoCopy(err), Cause: err}
	}
	return nil
}

// probe makes a file where a copy will be, unless its name is taken or cannot be one.
func probe(to string) (*os.File, error) {
	folder := to
	if info, err := os.Stat(to); err != nil || !info.IsDir() {
		folder = filepath.Dir(to)
		for _, t := range mediaTypes {
			name := filepath.Clean(to)
			if filepath.Ext(to) == "" {
				name += t.ext
			}
			if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return nil, cmp.Or(err, fs.ErrExist)
			}
		}
	}
	return os.CreateTemp(folder, probeName)
}

// CopyName is where result n of a job is copied to, from 1, when the first is
// copied to a path and nothing else has the name.
func CopyName(to string, n int) string {
	if n == 1 {
		return to
	}
	ext := filepath.Ext(to)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(to, ext), n, ext)
}

const (
	whyCopyThere = api.Sentence("a file with that name already exists")
	whyUnwritten = api.Sentence("%v could not be written: %v")
)

func checkCopy(to string) error {
	if !filepath.IsAbs(to) || strings.ContainsRune(to, 0) || filepath.Separator == '\\' && strings.LastIndexByte(to, ':') > len("C") {
		return api.Sentence("enter the full path of a folder or file").Fault(nil)
	}
	info, err := os.Stat(to)
	if err == nil && !info.IsDir() {
		return whyCopyThere.Fault(fs.ErrExist)
	}
	if above, aerr := os.Stat(filepath.Dir(to)); err != nil && (aerr != nil || !above.IsDir()) {
		return api.Sentence("no such folder").Fault(nil)
	}
	return nil
}

// NewFile makes a file that is whole or not there, whatever ends the process; it replaces
// nothing. fill writes to the path that the file has until it gets its name. Errors are *Error.
func NewFile(to string, mode fs.FileMode, fill func(path string) error) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err == nil {
		defer root.Close()
		err = newFile(root, filepath.Base(to), mode, fill)
	}
	if _, ok := errors.AsType[*api.Fault](err); ok || err == nil {
		return err
	}
	return failed(err, whyUnwritten, to, whyNoCopy(err))
}

func newFile(root *os.Root, name string, mode fs.FileMode, fill func(path string) error) error {
	part := partMark + strings.ToValidUTF8(name[max(len(name)-200, 0):], "") + partEnd // where a file must have a name
	file, path, publish := unnamed(root, mode)
	if file == nil {
		p, err := openPart(root, part, false)
		if err != nil {
			return err
		}
		file, path, publish = p.file, filepath.Join(root.Name(), part), p.publishAs
	}
	defer file.Close()
	err := fill(path)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = publish(name)
	}
	if err != nil {
		removeSame(root, part, file)
	}
	return err
}

// SaveFrame saves a PNG out of a clip in the folder of results, under the clip's name with the
// time in it, and gives its path; one that is there already is not saved again.
func SaveFrame(dir, clip string, at time.Duration, png []byte) (path string, err error) {
	stem := strings.TrimSuffix(filepath.Base(clip), filepath.Ext(clip))
	return savePNG(filepath.Join(dir, fmt.Sprintf("%s-frame-%.2fs.png", stem, at.Seconds())), png)
}

// savePNG saves a picture under a name, or a longer one if another file has that; one that is
// there already is not saved again.
func savePNG(to string, png []byte) (path string, err error) {
	_ = os.MkdirAll(filepath.Dir(to), 0o700) // why it is not there is said below
	for n := 1; n == 1 || n < maxSameName && errors.Is(err, fs.ErrExist); n++ {
		path = CopyName(to, n)
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode().IsRegular() && info.Size() == int64(len(png)) {
			if there, rerr := os.ReadFile(path); rerr == nil && bytes.Equal(there, png) {
				return path, nil
			}
		}
		err = NewFile(path, 0o600, func(path string) error { return os.WriteFile(path, png, 0o600) })
	}
	return path, err
}

// Trash is the folder in the data folder that files of results are moved into, under
// names that say whose they are: however a process ends, they are found again. One
// process at a time has the trash.
type Trash struct {
	Dir  string
	step string // what one run, or one key, moves; names of steps stand in the order in which they were done
	root *os.Root
	lock *os.File
}

var errOther = failed(nil, "it is not as darkroom saved it: it was changed, it is a link, or it has a second name")

// OpenTrash opens the trash of a data folder, which is made when it is missing.
func OpenTrash(data string) (_ *Trash, err error) {
	t := &Trash{Dir: filepath.Join(data, "trash")}
	_ = os.Mkdir(t.Dir, 0o700) // why it is not there is said below
	if t.root, err = openFolder(t.Dir); err == nil {
		if t.lock, err = t.root.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			err = lockSoon(t.lock)
		}
	}
	if err == nil {
		t.step = time.Now().UTC().Format("20060102-150405.000000")
		return t, nil
	}
	t.Close()
	if errors.Is(err, ErrBusy) {
		err = failed(err, "another darkroom is at work there")
	}
	return nil, failed(err, "%v cannot be used: %v", t.Dir, t.why(err))
}

// Close lets other processes have the trash.
func (t *Trash) Close() {
	_ = t.lock.Close() // nil when it was not opened
	if t.root != nil {
		_ = t.root.Close()
	}
}

// Each hands out the names in the trash that may be of files of jobs, newest step first, and
// which of a job's files each is: by its size, or what it holds, or, failing these, its number, since
// earlier versions counted files, not results.
func (t *Trash) Each(ctx context.Context, do func(name, step, job string, which func([]store.File) (store.File, bool))) error {
	entries, err := fs.ReadDir(t.root.FS(), ".")
	for _, e := range slices.Backward(entries) {
		step, rest, _ := strings.Cut(e.Name(), "_")
		job, rest, _ := strings.Cut(rest, "_")
		info, gone := e.Info()
		n, err := strconv.Atoi(strings.TrimSuffix(rest, filepath.Ext(rest)))
		if err != nil || gone != nil {
			continue
		}
		do(e.Name(), step, job, func(files []store.File) (store.File, bool) {
			file, found := api.Find(files, func(f store.File) bool { return f.N == n })
			alike := slices.DeleteFunc(slices.Clone(files), func(f store.File) bool { return f.Bytes != info.Size() })
			if len(alike) == 1 {
				return alike[0], true
			}
			if one, ok := api.Find(append([]store.File{file}, alike...), func(f store.File) bool {
				return withSame(ctx, t.root, e.Name(), f, func(*os.File) error { return nil }) == nil
			}); ok {
				return one, true
			}
			return file, found
		})
	}
	return err
}

// Put moves a file of a job into the trash if it is the one that darkroom saved. It is
// looked at again where it arrives: what got its name in the last moment goes back.
func (t *Trash) Put(ctx context.Context, job string, f store.File) error {
	base, name := filepath.Base(f.Path), fmt.Sprintf("%s_%s_%d%s", t.step, job, f.N, filepath.Ext(f.Path))
	return t.inFolder(f, func(root *os.Root) error {
		return withSame(ctx, root, base, f, func(file *os.File) error {
			if info, err := file.Stat(); err != nil || store.FileNames(info) != 1 {
				return cmp.Or(err, error(errOther))
			}
			if _, err := t.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return cmp.Or(err, fs.ErrExist)
			}
			err := moveAt(root, base, t.root, name, false)
			if _, ok := sameFile(t.root, name, file); err == nil && !ok {
				err = cmp.Or(moveBack(t.root, name, root, base), error(errOther))
			}
			return err
		})
	})
}

// Restore puts a file back where it was saved, over no other one.
func (t *Trash) Restore(ctx context.Context, f store.File, name string) error {
	return t.inFolder(f, func(root *os.Root) error {
		return withSame(ctx, t.root, name, f, func(*os.File) error { return moveBack(t.root, name, root, filepath.Base(f.Path)) })
	})
}

// Delete deletes a file in the trash that is the one that darkroom saved.
func (t *Trash) Delete(ctx context.Context, f store.File, name string) error {
	return t.why(withSame(ctx, t.root, name, f, func(*os.File) error { return t.root.Remove(name) }))
}

// inFolder does something in the folder of a file, if that is no link.
func (t *Trash) inFolder(f store.File, do func(*os.Root) error) error {
	root, err := openFolder(filepath.Dir(f.Path))
	if err == nil {
		defer root.Close()
		err = do(root)
	}
	return t.why(err)
}

func openFolder(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	named, err := os.Lstat(dir)
	if is, serr := root.Stat("."); err == nil && serr == nil && os.SameFile(named, is) {
		return root, nil
	}
	root.Close()
	return nil, cmp.Or(err, error(failed(nil, "the folder %v is a link", dir)))
}

// withSame does something with an open file that has the content of the one that was saved.
func withSame(ctx context.Context, root *os.Root, name string, f store.File, do func(*os.File) error) error {
	info, err := root.Lstat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() != f.Bytes) {
		err = errOther
	}
	if err != nil {
		return err
	}
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	d := newDigest()
	_, err = io.Copy(d, api.ContextReader{Ctx: ctx, Reader: file})
	if _, ok := sameFile(root, name, file); err != nil || !ok || d.hash() != f.SHA256 {
		return cmp.Or(err, error(errOther))
	}
	return do(file)
}

// moveBack moves a file by way of a second name, which replaces nothing; where the file
// system has none, the name is looked for first.
func moveBack(from *os.Root, name string, to *os.Root, as string) error {
	_ = moveAt(from, name, to, as, true)
	there, err := to.Lstat(as)
	is, ierr := from.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return moveAt(from, name, to, as, false)
	case err == nil && ierr == nil && os.SameFile(is, there): // perhaps since a process was stopped here
		return from.Remove(name)
	}
	return cmp.Or(err, ierr, fs.ErrExist)
}

func (t *Trash) why(err error) error {
	known, ok := errors.AsType[*Error](err)
	switch {
	case err == nil || ok && known != nil:
		return err
	case errors.Is(err, syscall.EXDEV):
		return failed(err, "it is on another file system than %v", t.Dir)
	}
	return &api.Fault{Reason: whyNoCopy(err), Cause: err}
}

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
