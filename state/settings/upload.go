package settings

import "darkroom/api"

// whyUpload takes the setting.
var whyUpload = api.Declare("setting_upload", `%v is no command: write its words in a list, one of them {file}, such as ["rclone", "copyto", "{file}", "there:{file}"]`)
