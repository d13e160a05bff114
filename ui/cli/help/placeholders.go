package help

import "github.com/spf13/pflag"

// placeholders say what the flags that have a value take, in every language.
var placeholders = map[string]string{
	"addr": "ADDRESS", "aspect-ratio": "RATIO", "async": "true|false|omit", "attach": "ID", "audio-files": "URL", "base-url": "URL",
	"budget": "CREDITS", "calls": "N", "credits": "CREDITS", "dialect": "NAME", "duration": "SECONDS", "end-image-url": "URL",
	"explain": "FILE", "extra-models": "N", "fault": "FAULT", "filter": "WORDS", "function-mode": "MODE", "header": "'NAME: VALUE'", "html": "DIR",
	"image-files": "URL", "image-url": "URL", "jq": "EXPRESSION", "json": "FIELDS", "key": "KEY", "kind": "KIND", "limit": "JOBS",
	"max-credits": "CREDITS", "model": "ID", "output": "FILE", "quality": "LEVEL", "ratio": "RATIO", "resolution": "RESOLUTION",
	"seed": "N", "since": "DATE", "size": "SIZE", "status": "CODE", "time-scale": "X", "timeout": "DURATION", "top": "N",
	"video-files": "URL", "video-model": "TIER", "video-url": "URL",
}

// Placeholder is what stands behind the name of a flag that takes a value.
func Placeholder(f *pflag.Flag) string {
	name := placeholders[f.Name]
	switch {
	case name == "":
		return ""
	case f.NoOptDefVal != "":
		return "[=" + name + "]"
	}
	return " " + name
}
