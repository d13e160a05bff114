package run

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

// answerAfter is how long after a question lines answer nothing: they were
// typed or pasted before it could be read. typedAhead is how long the terminal takes
// at most from one line that is there already to the next.
const answerAfter, typedAhead = 300 * time.Millisecond, 50 * time.Millisecond

// Block is a line, or all lines of a paste as one text without the marks around it.
type Block struct {
	Text   string
	Pasted bool
	Err    error
	at     time.Time // when it was there
}

// input is standard input as blocks. One that was waited for in vain is the next.
type input struct {
	reader *bufio.Reader
	next   chan Block // of the read under way; nil when there is none
	kept   []Block    // that came during a question and did not answer it
}

// Next reads a block, and none ahead, until Take. Those that were kept come first.
func (p *Program) Next() <-chan Block {
	if p.input == nil {
		p.input = &input{reader: bufio.NewReader(p.In)}
	}
	if p.input.next == nil {
		next, in := make(chan Block, 1), p.input
		if in.next = next; len(in.kept) > 0 {
			next <- in.kept[0]
			in.kept = in.kept[1:]
		} else {
			go func() {
				line, err := in.reader.ReadString('\n')
				text := line
				for strings.LastIndex(text, ansi.BracketedPasteStart) > strings.LastIndex(text, ansi.BracketedPasteEnd) && err == nil {
					line, err = in.reader.ReadString('\n')
					text += line
				}
				bare := strings.NewReplacer(ansi.BracketedPasteStart, "", ansi.BracketedPasteEnd, "").Replace(text)
				next <- Block{strings.TrimRight(bare, "\r\n"), strings.Contains(text, ansi.BracketedPasteStart), err, time.Now()}
			}()
		}
	}
	return p.input.next
}

// Take is called for a block that came.
func (p *Program) Take() { p.input.next = nil }

// IsAnswer reports whether a line answers a yes-or-no question.
func IsAnswer(line string) bool {
	return slices.Contains([]string{"y", "yes", "n", "no", ""}, strings.ToLower(strings.TrimSpace(line)))
}

// Ask puts a yes-or-no question, which flags answer for a script; anything but y
// or yes is a no, which is exit 2 and said as no, by default that nothing is sent. What came before it was shown is no answer. Lines
// that say something else are kept for after it.
func (p *Program) Ask(ctx context.Context, flags string, question error, no ...error) error {
	if !p.Asking() {
		return Usagef("not a terminal: pass %s to confirm; %s", flags, append(no, Sentencef("nothing was sent"))[0])
	}
	var later []Block
	var asked time.Time
	for {
		var quiet <-chan time.Time // what was typed ahead is there: the question is put once, below it
		if asked.IsZero() {
			quiet = time.After(typedAhead)
		}
		select {
		case <-quiet:
			fmt.Fprintf(p.Err, "%s [y/N] ", p.Sentence(question))
			asked = time.Now()
		case <-ctx.Done():
			fmt.Fprintln(p.Err)
			return ErrAborted
		case b := <-p.Next():
			p.Take()
			if !IsAnswer(b.Text) {
				later = append(later, b)
			}
			if b.Err == nil && (asked.IsZero() || b.Pasted || b.at.Sub(asked) < answerAfter) {
				asked = time.Time{}
				continue
			}
			p.input.kept = append(later, p.input.kept...)
			if b.Err == nil && IsAnswer(b.Text) && strings.ContainsAny(b.Text, "yY") {
				return nil
			}
			return WithCode(ExitUsage, append(no, Sentencef("not sent"))[0])
		}
	}
}

// Offer is what a person is asked to pay for.
type Offer struct {
	Model     string
	Request   api.Request // its settings are said; the zero one has none
	Price     api.Estimate
	Why       error // there is no better figure
	Words     error // what is said of the price; nil is what is known of it
	Limit     LimitFlag
	Questions []error
	Yes       int  // as many of them are answered by flags
	New       bool // what refuses it is asked before the person is, and before files are uploaded
}

// ChargedTwice is the second question if something may have been sent before.
var ChargedTwice = Sentencef("It may be charged twice. Send it anyway?")

// Agree refuses a price above the limit, says it, and asks what is left to ask.
func (p *Program) Agree(ctx context.Context, s *state.Session, o Offer) error {
	if set := s.Settings(); set.Budget == api.BudgetUnreadable && len(set.Problems) > 0 {
		return WithCode(ExitUsage, Because(set.Problems[0]))
	}
	left := slices.Clone(o.Questions[min(o.Yes, len(o.Questions)):])
	unlisted := o.Model != "" && s.Remote.Unlisted(ctx, o.Model)
	quiet := p.Quiet && len(left) == 0 // a price is agreed to only when it was shown
	switch {
	case unlisted && !o.Price.Known() && (len(left) == 0 || o.Limit.Given):
		return Usagef("nothing was sent: %s", Unpriced(ctx, s, o.Model))
	case len(left) == 0 && RefusedRequest(o.Why):
		return Unsent(o.Why)
	case unlisted && !o.Price.Known():
		left[0] = Sentencef("%s is not in the service's list and has no price. %s", ID(o.Model), left[0])
	}
	if err := o.Limit.Allow(o.Price, o.Why); err != nil {
		return err
	}
	if unlisted && !quiet {
		p.NoteUnlisted(ctx, s, o.Model)
	}
	if !quiet {
		o.Request.Model = o.Model
		words := p.Sentence(cmp.Or(o.Words, PriceText(o.Price, o.Why)))
		fmt.Fprintln(p.Err, Joined(append(o.Request.Said(p.Say), cmp.Or(p.Anew(words), words))...)) // several models are not said
	}
	if len(left) > 0 && len(o.Questions) > 1 && !p.Asking() {
		return Usagef("not a terminal: pass --yes --yes to confirm, since it may be charged twice; nothing was sent")
	}
	usedUp := false
	if o.New {
		err := s.Affords(ctx, o.Price)
		refusal, refused := errors.AsType[*state.Refusal](err)
		if usedUp = refused && refusal.UsedUp() && len(left) > 0; usedUp {
			p.Notice(err) // who agrees after that confirms again
		} else if refused {
			return err
		}
	}
	for _, question := range left {
		if err := p.Ask(ctx, "--yes", question); err != nil {
			return err
		}
	}
	if usedUp {
		return s.Submitter.Ready(true)
	}
	return nil
}

// RefusedRequest tells whether a figure is missing because the service calls the request wrong.
func RefusedRequest(why error) bool {
	answer, ok := errors.AsType[*api.Error](why)
	return ok && answer.Class == api.ClassInvalid && (answer.Status == 400 || answer.Status == 422)
}

// Unpriced says of a model that it is neither listed nor priced.
func Unpriced(ctx context.Context, s *state.Session, model string) error {
	return Usagef("model %s is not in the service's list and has no price%s", ID(model), NearModel(ctx, s, model))
}

// NoteUnlisted says that a model is not in the service's list.
func (p *Program) NoteUnlisted(ctx context.Context, s *state.Session, model string) {
	p.Notice(Sentencef("the model %s is not in the service's list%s", ID(model), NearModel(ctx, s, model)))
}

// NearModel is the end of a sentence about a model that is not listed.
func NearModel(ctx context.Context, s *state.Session, model string) error {
	ids := api.Map(s.KnownModels(ctx).Models, func(m api.Model) string { return m.ID })
	return Meant(model, ids, Sentencef("; 'darkroom models' prints the list"))
}

// MaxText is the most that is read of a prompt, arguments or a request: well above what
// 5,000 characters can take.
const MaxText = 1 << 20

// ReadInput reads a file, or standard input for "-", to its end, but no more than
// limit bytes. A signal ends it too: a pipe may never say anything.
func (p *Program) ReadInput(ctx context.Context, name string, limit int64) ([]byte, error) {
	defer p.Late(Sentencef("waits for the end of the input %q", name))()
	var text []byte
	var err error
	ended, _ := api.Within(ctx, func() {
		from := p.In
		if name != "-" {
			var file *os.File
			if file, err = os.Open(name); err != nil { // of a named pipe it waits for a writer
				return
			}
			defer file.Close()
			from = file
		}
		text, err = io.ReadAll(io.LimitReader(from, limit))
	})
	if !ended {
		return nil, ErrAborted
	}
	return text, err
}

// How long leaving waits for a send: after a key, and after a signal or crash.
const (
	CloseLimit   = 10 * time.Second
	HurriedLimit = 3 * time.Second
)

// ErrAborted ends a run that was interrupted before it sent anything.
var ErrAborted = WithCode(ExitUsage, Sentencef("stopped; nothing was sent"))

// Leave closes a session and waits, up to a limit, for a request on its way.
func (p *Program) Leave(ctx context.Context, s *state.Session, limit time.Duration) {
	if s.Health().Sending > 0 {
		p.Notice(Sentencef("A request is being sent: waiting for the response, at most %d s.", int(limit/time.Second)))
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	p.Notice(s.Close(closing))
}

// EndedBy is the end by a signal, with the exit code that shells give it.
func EndedBy(ended os.Signal) error {
	return WithCode(ExitSignal+int(ended.(syscall.Signal)), Sentencef("ended by %v", ended))
}

// Current is the figure that counts now: one of the service that is older than
// a minute is not known any more, and the rate table's takes its place.
func Current(e api.Estimate, err error, r api.Request) (api.Estimate, error) {
	counts, fresh := e.Current(r, time.Now())
	if fresh {
		return e, err
	}
	old := Sentencef("the last figure, %s, is of %s", Credits(e.Credits), e.At.Local().Format(time.DateTime))
	if err != nil {
		old = Sentencef("%s; %s", err, old)
	}
	return counts, old
}

// Estimate is the figure that counts now, and why it is no better. err ends the run.
func Estimate(ctx context.Context, s *state.Session, r api.Request) (e api.Estimate, why, err error) {
	e, why = s.Estimate(ctx, r)
	if err = Ends(ctx, why); err == nil {
		e, why = Current(e, why, r)
	}
	return e, why, err
}

// Age is how old a figure of the service is, in seconds; 0 for one of the table.
func Age(e api.Estimate) int64 {
	if e.Source != api.SourceService || e.At.IsZero() {
		return 0
	}
	return max(int64(time.Since(e.At)/time.Second), 0)
}

// Ends is what of a missing figure ends a run: a refused key, or a signal.
func Ends(ctx context.Context, why error) error {
	switch {
	case errors.Is(why, state.ErrKeyRefused):
		return why
	case ctx.Err() != nil:
		return ErrAborted
	}
	return nil
}

// LimitFlag is a flag that takes an amount of credits, which may be 0. By default there is none.
type LimitFlag struct {
	Amount api.Credits
	Given  bool
	Most   api.Credits // the amount, or the least there is for 0, which where requests are recorded is no limit
}

// Add declares the flag.
func (c *LimitFlag) Add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Func(name, usage, func(text string) (err error) {
		if c.Amount, err = api.ParseLimit(text); err != nil {
			return BadValue(name, text, Sentencef("an amount of credits"))
		}
		c.Given, c.Most = true, max(c.Amount, 1)
		return nil
	})
}

// Allow refuses a price above the limit, or none.
func (c *LimitFlag) Allow(e api.Estimate, err error) error {
	switch {
	case !c.Given || e.Known() && e.Credits <= c.Amount:
		return nil
	case !e.Known() && err != nil:
		return Usagef("nothing was sent: the price is not known (%s), and --max-credits is %s", err, c.Amount)
	case !e.Known():
		return Usagef("nothing was sent: the price is not known, and --max-credits is %s", c.Amount)
	}
	return Usagef("nothing was sent: the price is %s, and --max-credits is %s", Credits(e.Credits), c.Amount)
}

// PriceText says what is known of a price, and why no more is.
func PriceText(e api.Estimate, err error) error {
	switch {
	case e.Differs && e.Source == api.SourceTable:
		return Sentencef("%s by the rate table, although the service says %s", Credits(e.Table), Credits(e.Service))
	case e.Differs:
		return Sentencef("%s, although the rate table says %s", Credits(e.Service), Credits(e.Table))
	case e.Source == api.SourceService && err != nil:
		return Sentencef("%s as the service said %d s ago (no newer figure: %s)", Credits(e.Credits), Age(e), err)
	case e.Source == api.SourceService:
		return Credits(e.Credits)
	case e.Source == api.SourceTable && err != nil:
		return Sentencef("%s by the rate table (the service gave no figure: %s)", Credits(e.Credits), err)
	case e.Source == api.SourceTable:
		return Sentencef("%s by the rate table", Credits(e.Credits))
	case err != nil:
		return Sentencef("price not known: %s", err)
	}
	return Sentencef("price not known")
}

// agentMarks are variables that agents set for the commands that they run, and that
// nobody sets in the profile of a shell.
var agentMarks = []string{
	"AI_AGENT",                       // proposed by vercel/vercel: packages/detect-agent/src/index.ts at 00e6bb7
	"CLAUDECODE",                     // Claude Code, not open: as detect-agent at 00e6bb7 reads it
	"CODEX_SANDBOX_NETWORK_DISABLED", // openai/codex: codex-rs/core/src/spawn.rs at 0226fa6
	"CODEX_THREAD_ID",                // openai/codex: codex-rs/protocol/src/shell_environment.rs at 09c8e31
	"CURSOR_AGENT",                   // Cursor, not open: as detect-agent at 00e6bb7 reads it
	"GEMINI_CLI",                     // google-gemini/gemini-cli: packages/core/src/services/shellExecutionService.ts at 002a57e
	"OPENCODE",                       // anomalyco/opencode: packages/opencode/src/index.ts at 037d508
}

// AgentShell reports whether an agent has most likely started this run: --yes is
// no person's then. It is a hint against accidents and no boundary.
func (p *Program) AgentShell(s *state.Session) bool {
	return !s.Settings().AgentsYes && slices.ContainsFunc(agentMarks, func(name string) bool { return p.Env(name) != "" })
}

// Hold lets requests wait for a person that an agent has agreed to, and says how
// they are sent. It gives their ids if the settings let the entry shell send them.
func (p *Program) Hold(ctx context.Context, s *state.Session, all []api.Request, limit api.Credits, confirm ...string) ([]string, error) {
	asked, err := s.Agent("shell").Ask(ctx, state.NewConfirmID(), all, limit, confirm...)
	if err == nil && asked[0].Paused {
		err = Held(asked[0].ID)
	}
	return api.Map(asked, func(a state.Asked) string { return a.ID }), err
}

// Held ends a run that has not sent a request, for which a person is needed.
func Held(id string) error {
	return WithCode(ExitHeld, Sentencef("held: in an agent's shell --yes is not a person's answer. A person sends it in Jobs, "+
		"or in a shell of their own with: darkroom job %s --send (add --all for all that agents in a shell ask for)", id))
}
