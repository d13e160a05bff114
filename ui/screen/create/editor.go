package create

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/words"
)

// editorReadyMsg has the prompt in a file for the editor.
type editorReadyMsg struct {
	editor, path string
	words        *words.Words
}

// editedMsg is the text that the editor saved.
type editedMsg struct {
	text string
	msg.FailedMsg
}

// openEditor opens $VISUAL or $EDITOR on the prompt.
func (c *Screen) openEditor() tea.Cmd {
	editor := cmp.Or(c.env.Getenv("VISUAL"), c.env.Getenv("EDITOR"))
	if editor == "" {
		return msg.Notify(msg.ToneHint, c.env.Say("Set VISUAL or EDITOR to the name of an editor first."))
	}
	text, words := c.draft().Prompt.Value(), c.env.Words
	return func() tea.Msg {
		// CreateTemp gives a file that only its owner reads.
		f, err := os.CreateTemp("", "darkroom-prompt-*.txt")
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			if f != nil {
				os.Remove(f.Name())
			}
			return editedMsg{FailedMsg: msg.FailedMsg{Err: errors.New(words.Say("The prompt could not be written for the editor: %s", err))}}
		}
		return editorReadyMsg{editor, f.Name(), words}
	}
}

// run gives the terminal to the editor; the file is removed afterwards.
func (m editorReadyMsg) run() tea.Cmd {
	// The variable may hold arguments, so the shell takes it apart.
	cmd := exec.Command("sh", "-c", m.editor+` "$1"`, "sh", m.path)
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout // themselves, not what darkroom reads keys and draws through
	cmd.Env = state.OthersEnviron(os.Environ()) // without the key: an editor has plugins
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return m.ended(err) })
}

// maxEdited is far more than a prompt may have, in bytes.
const maxEdited = 1 << 20

func (m editorReadyMsg) ended(err error) editedMsg {
	defer os.Remove(m.path)
	var text []byte
	if err == nil {
		var f *os.File
		if f, err = os.Open(m.path); err == nil {
			text, err = io.ReadAll(io.LimitReader(f, maxEdited))
			f.Close()
		}
	}
	if err != nil {
		err = errors.New(m.words.Say("The editor ended with an error; the prompt is unchanged: %s", err))
		return editedMsg{FailedMsg: msg.FailedMsg{Err: err}}
	}
	return editedMsg{text: strings.TrimRight(string(text), "\r\n")}
}

func (c *Screen) edited(m editedMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	d := c.draft()
	d.Form.Focus(d.Prompt)
	return c.write(m.text)
}
