package settings

import "darkroom/api"

// What is wrong with the settings, and why they are not written. Most begin
// with the setting's name, which can be that of a variable or of a line in a
// file.
var (
	whyIn = api.Declare("setting_in", "%v in %v")
	whyAt = api.Declare("setting_at", "line %v, %v in %v")

	whyNoHome     = api.Declare("no_home", "there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, to absolute folders")
	whyUnread     = api.Declare("settings_unread", "%v cannot be read, so its settings are ignored and nothing is sent: %v")
	whyNextStart  = api.Declare("setting_next_start", "another base_url stands in %v: it is used from the next start on")
	whyUnknown    = api.Declare("setting_unknown", "%v is not a setting, so nothing is sent: the nearest one is %v")
	whyMisplaced  = api.Declare("setting_misplaced", "%v is not a setting, so nothing is sent: write %v above all lines such as [theme]")
	whyVariable   = api.Declare("setting_variable", "%v is not a variable of darkroom, so nothing is sent: the nearest one is %v")
	whyEarlier    = api.Declare("setting_earlier", "%v is not used any more: %v")
	whyNotBool    = api.Declare("setting_not_bool", "%v is not true or false")
	whyNotNumber  = api.Declare("setting_not_number", "%v is not a whole number from %v to %v")
	whyNotText    = api.Declare("setting_not_text", "%v is not a text in quotes")
	whyNoneOf     = api.Declare("setting_none_of", "%v is none of %v: %v is used")
	whyNoneUsed   = api.Declare("setting_not_one_of", "%v is none of %v: it is not used")
	whyUpload     = api.Declare("setting_upload", `%v is no command: write its words in a list, one of them {file}, such as ["rclone", "copyto", "{file}", "there:{file}"]`)
	whyNotTable   = api.Declare("setting_not_table", "%v is not a table: write [profile] on a line of its own, and the keys below it")
	whyNotService = api.Declare("setting_not_service", "%v is not the address of a service, so nothing is sent: %v")
	whyNotUsed    = api.Declare("setting_not_used", "%v is not used: %v")
	whyBase       = api.Declare("setting_base", "%v cannot be used: %v")
	whyNamesEnd   = api.Declare("setting_names_end", "%v does not end in %v, which tells files apart, so the usual names are used")
	whyNamesTwice = api.Declare("setting_names_twice", "%v has %v twice, so the usual names are used")
	whyNames      = api.Declare("setting_names", "%v is no pattern of names, so the usual names are used: write letters, digits, - _ . and the words {date} {time} {title} {kind} {model} {seed}, and %v at the end")
	whyPlayer     = api.Declare("setting_player", "%v is not an absolute path, so videos are opened like images: give the whole path, such as /usr/bin/mpv")
	whyOpener     = api.Declare("setting_opener", "%v is not an absolute path, so the system's program opens results: give the whole path, such as /usr/bin/xdg-open")
	whyBudget     = api.Declare("setting_budget", "%v is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget")
	whyDownloads  = api.Declare("setting_downloads", "%v is not an absolute folder, so results go to %v: give the whole path")
	whyLang       = api.Declare("setting_lang", "%v is %v: write en or zh")
	whyScale      = api.Declare("setting_scale", "DARKROOM_TIME_SCALE is not a number above 0: 1 is used")
	whyScaleLocal = api.Declare("setting_scale_local", "DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used")

	whyKeysTable   = api.Declare("setting_keys_table", "%v is not a table: write [keys] on a line of its own, and the actions below it")
	whyKeyAction   = api.Declare("setting_key_action", "%v is not an action, so nothing is sent: the nearest one is %v")
	whyKeyList     = api.Declare("setting_key_list", "%v is not a key or a list of keys in quotes, so the usual keys stay")
	whyKeyName     = api.Declare("setting_key_name", "%v: %v is not a key, so the usual keys stay: write it like ctrl+s, alt+x, f5 or S")
	whyKeyReserved = api.Declare("setting_key_reserved", "%v: %v is reserved and cannot be bound, so the usual keys stay")
	whyKeyTaken    = api.Declare("setting_key_taken", "%v: %v is already the key of %v in the same place, so the usual keys stay")

	whyThemeTable  = api.Declare("setting_theme_table", "%v is not a table: write [theme] on a line of its own, and name and colours below it")
	whyThemeColour = api.Declare("setting_theme_colour", "%v is not a colour, so the theme's is used: write \"#FF8800\", or a number from 0 to 255")

	whyCommandTable    = api.Declare("setting_command_table", "%v is not a list of tables: write [[command]] on a line of its own, and key, name and run below it")
	whyCommandMany     = api.Declare("setting_command_many", "%v is one too many: there can be %v commands")
	whyCommandRun      = api.Declare("setting_command_run", `%v is no command: write its words in a list, one of them {file} or {id}, such as ["rclone", "copy", "{file}", "r2:"]`)
	whyCommandKey      = api.Declare("setting_command_key", "%v: %v is not a key, so the command has none: write it like B, alt+b or f5")
	whyCommandReserved = api.Declare("setting_command_reserved", "%v: %v is reserved and cannot be bound, so the command has no key")
	whyCommandTaken    = api.Declare("setting_command_taken", "%v: %v is already the key of %v where results are shown, so the command has none: choose another key, or give that action one under [keys]")

	whyLine        = api.Declare("settings_line", "line %v: %v")
	whyList        = api.Declare("list_unread", "the list %v cannot be read: %v")
	whyPrompt      = api.Declare("prompt_unread", "the saved prompt %v cannot be read: %v")
	whyPromptWrite = api.Declare("prompt_unwritten", "the saved prompt %v cannot be written: %v")
	whyPromptName  = api.Declare("prompt_name", "%v cannot be the name of a saved prompt: a file has to be able to have it")
	whyNoFile      = api.Declare("list_no_file", "it is no file")
	whyTooLarge    = api.Declare("settings_too_large", "it is larger than %v KiB")
	whyFileRead    = api.Declare("settings_file_unread", "the settings file %v cannot be read: %v")
	whyByHand      = api.Declare("settings_by_hand", "%v was not written to %v, put it in by hand: %v")
	whyFileWrite   = api.Declare("settings_file_unwritten", "the settings file %v cannot be written: %v")
	whyLayout      = api.Declare("settings_layout", "its layout is unusual")
)
