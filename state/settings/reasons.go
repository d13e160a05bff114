package settings

import "darkroom/api"

// What is wrong with the settings, and why they are not written. Most begin
// with the setting's name, which can be that of a variable or of a line in a
// file.
var (
	whyIn = api.Sentence("%v in %v")
	whyAt = api.Sentence("line %v, %v in %v")

	whyNoHome = api.Sentence("there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, " +
		"to absolute folders")
	whyUnread    = api.Sentence("%v cannot be read, so its settings are ignored and nothing is sent: %v")
	whyNextStart = api.Sentence("another base_url stands in %v: it is used from the next start on")
	whyUnknown   = api.Sentence("%v is not a setting, so nothing is sent: the nearest one is %v")
	whyMisplaced = api.Sentence("%v is not a setting, so nothing is sent: write %v above all lines such as [theme]")
	whyVariable  = api.Sentence("%v is not a variable of darkroom, so nothing is sent: the nearest one is %v")
	whyEarlier   = api.Sentence("%v is not used any more: %v")
	whyNotBool   = api.Sentence("%v is not true or false")
	whyNotNumber = api.Sentence("%v is not a whole number from %v to %v")
	whyNotText   = api.Sentence("%v is not a text in quotes")
	whyNoneOf    = api.Sentence("%v is none of %v: %v is used")
	whyNoneUsed  = api.Sentence("%v is none of %v: it is not used")
	whyUpload    = api.Sentence(`%v is no command: write its words in a list, one of them {file}, ` +
		`such as ["rclone", "copyto", "{file}", "there:{file}"]`)
	whyNotTable   = api.Sentence("%v is not a table: write [profile] on a line of its own, and the keys below it")
	whyNotService = api.Sentence("%v is not the address of a service, so nothing is sent: %v")
	whyNotUsed    = api.Sentence("%v is not used: %v")
	whyBase       = api.Sentence("%v cannot be used: %v")
	whyNamesEnd   = api.Sentence("%v does not end in %v, which tells files apart, so the usual names are used")
	whyNamesTwice = api.Sentence("%v has %v twice, so the usual names are used")
	whyNames      = api.Sentence("%v is no pattern of names, so the usual names are used: write letters, digits, - _ . " +
		"and the words {date} {time} {title} {kind} {model} {seed}, and %v at the end")
	whyPlayer = api.Sentence("%v is not an absolute path, so videos are opened like images: give the whole path, such as /usr/bin/mpv")
	whyOpener = api.Sentence("%v is not an absolute path, so the system's program opens results: give the whole path, " +
		"such as /usr/bin/xdg-open")
	whyBudget     = api.Sentence("%v is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget")
	whyDownloads  = api.Sentence("%v is not an absolute folder, so results go to %v: give the whole path")
	whyLang       = api.Sentence("%v is %v: write en or zh")
	whyScale      = api.Sentence("DARKROOM_TIME_SCALE is not a number above 0: 1 is used")
	whyScaleLocal = api.Sentence("DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used")

	whyKeysTable   = api.Sentence("%v is not a table: write [keys] on a line of its own, and the actions below it")
	whyKeyAction   = api.Sentence("%v is not an action, so nothing is sent: the nearest one is %v")
	whyKeyList     = api.Sentence("%v is not a key or a list of keys in quotes, so the usual keys stay")
	whyKeyName     = api.Sentence("%v: %v is not a key, so the usual keys stay: write it like ctrl+s, alt+x, f5 or S")
	whyKeyReserved = api.Sentence("%v: %v is reserved and cannot be bound, so the usual keys stay")
	whyKeyTaken    = api.Sentence("%v: %v is already the key of %v in the same place, so the usual keys stay")

	whyThemeTable  = api.Sentence("%v is not a table: write [theme] on a line of its own, and name and colours below it")
	whyThemeColour = api.Sentence("%v is not a colour, so the theme's is used: write \"#FF8800\", or a number from 0 to 255")

	whyCommandTable = api.Sentence("%v is not a list of tables: write [[command]] on a line of its own, and key, name and run below it")
	whyCommandMany  = api.Sentence("%v is one too many: there can be %v commands")
	whyCommandRun   = api.Sentence(`%v is no command: write its words in a list, one of them {file} or {id}, ` +
		`such as ["rclone", "copy", "{file}", "r2:"]`)
	whyCommandKey      = api.Sentence("%v: %v is not a key, so the command has none: write it like B, alt+b or f5")
	whyCommandReserved = api.Sentence("%v: %v is reserved and cannot be bound, so the command has no key")
	whyCommandTaken    = api.Sentence("%v: %v is already the key of %v where results are shown, so the command has none: " +
		"choose another key, or give that action one under [keys]")

	whyLine        = api.Sentence("line %v: %v")
	whyList        = api.Sentence("the list %v cannot be read: %v")
	whyPrompt      = api.Sentence("the saved prompt %v cannot be read: %v")
	whyPromptWrite = api.Sentence("the saved prompt %v cannot be written: %v")
	whyPromptName  = api.Sentence("%v cannot be the name of a saved prompt: a file has to be able to have it")
	whyNoFile      = api.Sentence("it is no file")
	whyTooLarge    = api.Sentence("it is larger than %v KiB")
	whyFileRead    = api.Sentence("the settings file %v cannot be read: %v")
	whyByHand      = api.Sentence("%v was not written to %v, put it in by hand: %v")
	whyFileWrite   = api.Sentence("the settings file %v cannot be written: %v")
	whyLayout      = api.Sentence("its layout is unusual")
)
