package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// materialActions are the keys of a row of the materials, in the footer while
// the cursor is on one. The list itself takes them.
func (c *Screen) materialActions() []action.Action {
	table := []action.Action{
		{Name: "edit_material", Display: "enter", Label: "edit", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyEnter})},
		{Name: "remove_material", Display: "delete", Label: "remove", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyDelete})},
		{Name: "move_material_up", Display: "alt+↑/↓", Label: "move", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModAlt})},
		{Name: "move_material_down", Display: "alt+↓", Label: "move down", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModAlt})},
		{Name: "change_material_kind", Display: "←/→", Label: "kind", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyRight})},
	}
	for i := range table {
		table[i].Offer = c.onMaterial
		table[i].Disabled = c.whyNotOnMaterial
	}
	return append(table, action.Action{Name: "upload_file", Keys: []string{"alt+u"}, Label: "upload file", Handler: c.uploadFile, Disabled: c.whyNoUpload, Always: true})
}

// onMaterial reports whether the cursor is on a row of the materials.
func (c *Screen) onMaterial() bool {
	d := c.draft()
	_, ok := d.Materials.Selected()
	return ok && d.Form.Focused() == d.Materials
}

func (c *Screen) whyNotOnMaterial() string {
	return c.env.SayIf(!c.onMaterial(), "Choose a material first.")
}
