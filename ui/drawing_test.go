package ui

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/widget"
)

// unwatched are types whose values a drawing may change: what is remembered, and
// what does not belong to the App: data from below is replaced, never written to.
func unwatched(t reflect.Type) bool {
	switch t.PkgPath() {
	case "darkroom/api", "darkroom/api/mcp", "darkroom/state", "darkroom/state/store":
		return true
	case "darkroom/ui/widget":
		return strings.HasPrefix(t.Name(), "Memo")
	case "darkroom/ui/words", "darkroom/ui/theme", "time", "sync", "sync/atomic", "context", "testing":
		return true
	}
	return t == reflect.TypeFor[fakeSession]() || t.Implements(reflect.TypeFor[context.Context]())
}

// snapshot is every value that can be reached from an App, in a fixed order.
type snapshot struct {
	places *places
	leaves []leaf
	seen   map[uintptr]reflect.Type
}

// leaf is a value that holds no others. Without pointers in it, the many
// thousands of a snapshot cost the garbage collector nothing.
type leaf struct {
	at    uintptr
	value uint64
	place int32
}

// place is the struct's field that a leaf is in.
type place struct {
	room  reflect.Type
	field int
}

func (p place) String() string { return p.room.String() + "." + p.room.Field(p.field).Name }

// places numbers the fields and knows the types that are not watched.
type places struct {
	list   []place
	fields map[reflect.Type]fields
	skip   map[reflect.Type]bool
}

// fields are a struct's: the number of the first, which the others follow, and which
// are watched.
type fields struct {
	first   int32
	watched []int
}

func newPlaces() *places {
	return &places{list: make([]place, 1), fields: map[reflect.Type]fields{}, skip: map[reflect.Type]bool{}}
}

func (p *places) of(t reflect.Type) fields {
	f, ok := p.fields[t]
	if !ok {
		f.first = int32(len(p.list)) // never 0
		for i := range t.NumField() {
			p.list = append(p.list, place{t, i})
			if !p.skips(t.Field(i).Type) {
				f.watched = append(f.watched, i)
			}
		}
		p.fields[t] = f
	}
	return f
}

func (p *places) skips(t reflect.Type) bool {
	skip, ok := p.skip[t]
	if !ok {
		skip = unwatched(t)
		p.skip[t] = skip
	}
	return skip
}

var (
	snapshotSeed = maphash.MakeSeed()
	rectangle    = reflect.TypeFor[widget.Rect]()
)

func newSnapshot(p *places) *snapshot {
	return &snapshot{places: p, seen: map[uintptr]reflect.Type{}}
}

// take replaces the snapshot's values by those of now.
func (s *snapshot) take(a *App) *snapshot {
	s.leaves = s.leaves[:0]
	clear(s.seen)
	s.walk(reflect.ValueOf(a), leaf{})
	return s
}

// walk keeps v and what it leads to; in is the field that it stands in.
func (s *snapshot) walk(v reflect.Value, in leaf) {
	if v.CanAddr() {
		in.at = v.UnsafeAddr()
	}
	switch v.Kind() {
	case reflect.Pointer:
		s.keep(in, uint64(v.Pointer()))
		if !v.IsNil() && s.seen[v.Pointer()] != v.Type() && !s.places.skips(v.Type().Elem()) {
			s.seen[v.Pointer()] = v.Type()
			s.walk(v.Elem(), in)
		}
	case reflect.Interface:
		if !v.IsNil() && !s.places.skips(v.Elem().Type()) {
			s.walk(v.Elem(), in)
		}
	case reflect.Struct:
		if v.Type() == rectangle { // a value of its holder
			s.keep(in, maphash.String(snapshotSeed, fmt.Sprint(v)))
			return
		}
		fields := s.places.of(v.Type())
		for _, i := range fields.watched {
			s.walk(v.Field(i), leaf{place: fields.first + int32(i)})
		}
	case reflect.Slice, reflect.Array:
		s.keep(in, uint64(v.Len()))
		for i := 0; i < v.Len() && !s.places.skips(v.Type().Elem()); i++ {
			s.walk(v.Index(i), in)
		}
	case reflect.Map:
		s.walkMap(v, in)
	case reflect.String:
		s.keep(in, maphash.String(snapshotSeed, v.String()))
	case reflect.Bool:
		s.keep(in, maphash.Comparable(snapshotSeed, v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.keep(in, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.keep(in, v.Uint())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		s.keep(in, uint64(v.Pointer()))
	default:
		s.keep(in, maphash.String(snapshotSeed, fmt.Sprint(v)))
	}
}

// walkMap keeps the entries in the order of their keys.
func (s *snapshot) walkMap(v reflect.Value, in leaf) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	s.keep(in, uint64(len(keys)))
	for _, key := range keys {
		s.keep(in, maphash.String(snapshotSeed, fmt.Sprint(key)))
		if !s.places.skips(v.Type().Elem()) {
			s.walk(v.MapIndex(key), in)
		}
	}
}

func (s *snapshot) keep(in leaf, value uint64) {
	if in.place != 0 {
		in.value = value
		s.leaves = append(s.leaves, in)
	}
}

// changed are the fields of which a value differs, each with its room.
func (s *snapshot) changed(after *snapshot) map[string]string {
	if slices.Equal(s.leaves, after.leaves) {
		return nil
	}
	left := map[leaf]int{}
	for _, l := range s.leaves {
		left[l]++
	}
	out := map[string]string{}
	add := func(l leaf) {
		p := s.places.list[l.place]
		out[p.String()] = p.room.PkgPath()
	}
	for _, l := range after.leaves {
		if left[l]--; left[l] < 0 {
			add(l)
		}
	}
	for l, n := range left {
		if n > 0 {
			add(l)
		}
	}
	return out
}

func TestASnapshotSeesWhatChanges(t *testing.T) {
	t.Parallel()
	fly(60, 16, everyPhase)(t, func(p *pilot) {
		p.keys("?")
		rooms := newPlaces()
		before, after := newSnapshot(rooms).take(p.app), newSnapshot(rooms)
		p.expect(len(before.leaves) >= 500, "only %d values are seen", len(before.leaves))
		changed := before.changed(after.take(p.app))
		expect.Must(t, len(changed) == 0, "nothing changed but", changed)
		p.app.arming++
		p.app.top().Update(msg.WheelMsg{By: 1})
		p.app.ended["job000001"] = true
		changed = before.changed(after.take(p.app))
		for _, want := range []string{"ui.App.arming", "ui.App.ended", "viewport.Model.yOffset"} {
			expect.That(t, changed[want] != "", want, "is not seen to change", changed)
		}
	})
}

// Drawing changes nothing but what it remembers: neither when something changed
// nor again afterwards. With -short the values are compared after every 20th message only:
// -race has instruments for each of the many thousand.
func TestDrawingChangesNoState(t *testing.T) {
	t.Parallel()
	found := map[string]map[string]bool{} // by room
	rooms := newPlaces()
	before, after := newSnapshot(rooms), newSnapshot(rooms)
	messages, every := 0, 1
	if testing.Short() {
		every = 20
	}
	everywhere(t, func(p *pilot) {
		p.watch = func(draw func()) {
			if messages++; messages%every != 0 {
				draw()
				return
			}
			before.take(p.app)
			draw()
			draw()
			for field, room := range before.changed(after.take(p.app)) {
				if found[room] == nil {
					found[room] = map[string]bool{}
				}
				found[room][field] = true
			}
		}
	})
	for room, fields := range found {
		t.Errorf("%s: drawing changes %v", room, slices.Sorted(maps.Keys(fields)))
	}
}

// slowPainter takes a while for each file and counts what becomes of it.
type slowPainter struct {
	mu sync.Mutex
	loads
}

// loads are how many pictures were begun and drawn, how many are under way, and
// how many were at most.
type loads struct{ begun, drawn, now, top int }

// counted returns the counts, and begins them anew.
func (s *slowPainter) counted() loads {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.loads
	s.loads = loads{now: was.now}
	return was
}

func (*slowPainter) Frames() bool { return false }

func (s *slowPainter) Load(ctx context.Context, _ string, cols, _ int, _ picture.Terminal) (picture.Picture, error) {
	s.count(1, 0)
	env.Pause(ctx, 300*time.Millisecond)
	if ctx.Err() != nil {
		s.count(-1, 0)
		return picture.Picture{}, ctx.Err()
	}
	s.count(-1, 1)
	return picture.Picture{Lines: []string{"▀"}, Cols: cols, Width: 2, Height: 2}, nil
}

func (s *slowPainter) count(now, drawn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun += max(now, 0)
	s.drawn += drawn
	s.now += now
	s.top = max(s.top, s.now)
}

// A key that is held draws no picture that is passed over, one file at a time
// is drawn, and where it stops the picture comes.
func TestAHeldKeyDrawsNothingThatIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before []string
		key    string
		most   int // that are drawn: those in view at the end
	}{
		"list":        {nil, "j", 1},
		"full screen": {[]string{"enter"}, "right", 2}, // and in the pane behind it
		"gallery":     {[]string{"g"}, "down", 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			painter := &slowPainter{}
			fly(120, 40, func(d *fakeSession) { d.fillDone(400) })(t, func(p *pilot) {
				p.app.env.Painter = painter
				p.keys(append([]string{"alt+2"}, c.before...)...)
				p.passes(20)
				painter.counted()
				for range 50 {
					p.keys(c.key)
					p.pass(30 * time.Millisecond)
				}
				held := painter.counted()
				p.expect(held.drawn <= 0, "%d pictures were drawn while the key was held", held.drawn)
				p.passes(40)
				after := painter.counted()
				after.begun, after.top = held.begun+after.begun, max(held.top, after.top)
				expect.That(t, after.drawn >= 1 && after.drawn <= c.most && after.top == 1 && after.now == 0, "begun, drawn, going on, at a time", after)
			})
		})
	}
}

// passes lets one picture after the other come.
func (p *pilot) passes(pictures int) {
	p.t.Helper()
	for range pictures {
		p.pass(500 * time.Millisecond)
	}
}

// Jobs that change faster than they can be read are shown all the same, and one
// read of them runs at a time.
func TestChangesFasterThanTheyAreRead(t *testing.T) {
	t.Parallel()
	const slow, every, changes = 300 * time.Millisecond, 100 * time.Millisecond, 40
	version := regexp.MustCompile(`boat (\d+)`)
	for name, keys := range map[string][]string{"spending": {"alt+3", "$"}, "jobs": {"alt+2"}, "recent": {"alt+1", ":boat"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fly(160, 48, func(d *fakeSession) { d.fill(60) })(t, func(p *pilot) {
				p.keys(keys...)
				p.pass(time.Second)
				p.session.slow = slow
				before := p.session.calls.Load()
				p.session.maxReads.Store(0)
				id := p.session.rows[0].ID
				for i := range changes {
					p.session.mu.Lock()
					job := p.session.jobs[id]
					job.Version++
					job.Title = fmt.Sprintf("boat %d", i)
					p.session.jobs[id], p.session.rows[0] = job, rowOf(job)
					p.session.pricing.spend = state.Spend{{Day: fakeNow.Format(time.DateOnly), Model: job.Title, Kind: api.KindImage, Sum: state.Sum{Jobs: 1, Credits: api.Credit}}}
					p.session.mu.Unlock()
					p.send(msg.ChangedMsg{Health: p.app.env.Health, At: p.clock(), Page: state.Page{All: len(p.session.rows), Change: int64(i + 1)}})
					p.pass(every)
				}
				shown := version.FindStringSubmatch(p.screen())
				p.expect(shown != nil, "none of the changes is shown")
				n, _ := strconv.Atoi(shown[1])
				expect.That(t, n >= changes-2*int(slow/every)-1, "change", n, "is shown after", changes)
				expect.Equal(t, p.session.maxReads.Load(), 1, "reads ran at a time")
				calls := p.session.calls.Load() - before
				expect.That(t, calls < 4*changes, calls, "calls: what has not changed is read again")
			})
		})
	}
}
