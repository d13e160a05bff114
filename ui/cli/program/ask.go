package program

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"darkroom/ui/cli/say"
)

// answerAfter is how long after a question lines answer nothing: they were
// typed or pasted before it could be read.
const answerAfter = 300 * time.Millisecond

// The marks that a terminal puts around what is pasted, once it is asked to.
const (
	AskForPasteMarks = "\x1b[?2004h"
	EndPasteMarks    = "\x1b[?2004l"
	pasteBegins      = "\x1b[200~"
	pasteEnds        = "\x1b[201~"
)

// ReadBlock reads one line, or all lines of a paste as one text without the
// marks around it.
func ReadBlock(in *bufio.Reader) (text string, pasted bool, err error) {
	line, err := in.ReadString('\n')
	text = line
	for strings.LastIndex(text, pasteBegins) > strings.LastIndex(text, pasteEnds) && err == nil {
		line, err = in.ReadString('\n')
		text += line
	}
	pasted = strings.Contains(text, pasteBegins)
	text = strings.NewReplacer(pasteBegins, "", pasteEnds, "").Replace(text)
	return strings.TrimRight(text, "\r\n"), pasted, err
}

// Ask puts a yes-or-no question; anything but y or yes is a no, which is exit 2.
// Without a terminal nobody can read the question. What was typed or pasted
// before it was shown is no answer to it.
func (p *Program) Ask(ctx context.Context, question error) error {
	if !p.CanAsk() {
		return say.Usagef("not done: without a terminal to ask on, --yes is needed")
	}
	type answer struct {
		text   string
		pasted bool
		err    error
		at     time.Time
	}
	in := bufio.NewReader(p.In)
	for {
		fmt.Fprintf(p.Err, "%s [y/N] ", p.Sentence(question))
		asked, answers := time.Now(), make(chan answer, 1)
		go func() {
			text, pasted, err := ReadBlock(in)
			answers <- answer{text, pasted, err, time.Now()}
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(p.Err)
			return ErrAborted
		case a := <-answers:
			if a.err == nil && (a.pasted || a.at.Sub(asked) < answerAfter) {
				continue
			}
			if word := strings.ToLower(strings.TrimSpace(a.text)); a.err == nil && (word == "y" || word == "yes") {
				return nil
			}
			return say.Usagef("not sent")
		}
	}
}

// CanAgree refuses early what nobody here can agree to.
func (p *Program) CanAgree(yes bool) error {
	if !yes && !p.CanAsk() {
		return say.Usagef("nothing was sent: without a terminal to ask on, --yes is needed")
	}
	return nil
}

// Agree is Ask unless the answer was given by a flag.
func (p *Program) Agree(ctx context.Context, yes bool, question error) error {
	if yes {
		return nil
	}
	return p.Ask(ctx, question)
}
