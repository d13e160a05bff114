package theme

import "charm.land/bubbles/v2/help"

// Help are the styles of keys and what they do, in the footer and in help.
func (t *Theme) Help() help.Styles {
	return help.Styles{
		Ellipsis: t.Faint.Style(),
		ShortKey: t.Key.Style(), ShortDesc: t.Muted.Style(), ShortSeparator: t.Faint.Style(),
		FullKey: t.Key.Style(), FullDesc: t.Text.Style(), FullSeparator: t.Faint.Style(),
	}
}
