package help

// Examples are the examples in the help of each command, by its path.
var Examples = map[string]string{
	"darkroom": `  darkroom demo
  darkroom login
  darkroom image "a lighthouse in a storm, gouache" --size 2K`,
	"darkroom demo": `  darkroom demo
  darkroom demo --keep`,
	"darkroom login": `  darkroom login --base-url https://api.example.com
  pass show darkroom | darkroom login`,
	"darkroom logout": `  darkroom logout`,
	"darkroom models": `  darkroom models
  darkroom models --jq '.models[] | select(.kind == "image") | .id'`,
	"darkroom prices": `  darkroom prices
  darkroom prices --duration 10 --json`,
	"darkroom image": `  darkroom image "a lighthouse in a storm" --size 2K --quality high
  darkroom image @prompt.txt --yes --max-credits 20 --output lighthouse.png
  darkroom image "a lighthouse" --dry-run --curl`,
	"darkroom video": `  darkroom video "a paper boat in the rain" --video-model fast --duration 5
  darkroom video "【@图片1】 turns around" --yes \
    --image-files https://cdn.example.com/boat.png
  darkroom video "a koi" --yes --no-wait --quiet`,
	"darkroom estimate":       `  darkroom estimate video "a koi" --video-model standard --duration 10`,
	"darkroom estimate image": `  darkroom estimate image "a koi" --size 4K --quality high`,
	"darkroom estimate video": `  darkroom estimate video "a koi" --video-model fast_vip --resolution 480p
  darkroom estimate video "a koi" --jq .credits`,
	"darkroom jobs": `  darkroom jobs
  darkroom jobs --filter "video koi" --limit 5
  darkroom jobs --json=id,phase,files`,
	"darkroom job": `  darkroom job k3f9
  darkroom job k3f9 --raw
  darkroom job k3f9 --attach 5d1c2a`,
	"darkroom spend": `  darkroom spend
  darkroom spend --since 2026-03-01 --json`,
	"darkroom wait":   `  darkroom wait k3f9 p2xa --timeout 10m`,
	"darkroom fetch":  `  darkroom fetch k3f9`,
	"darkroom edit":   `  darkroom edit 20260301-harbour-at-dawn-k3v9q2mx-1.png`,
	"darkroom open":   `  darkroom open k3f9`,
	"darkroom export": `  darkroom export --html contact-sheet --filter koi`,
	"darkroom tools": `  darkroom tools
  darkroom tools call estimate_price '{"model":"seedance2"}'`,
	"darkroom tools call": `  darkroom tools call list_models
  darkroom tools call generate_image @arguments.json --yes --timeout 2m`,
	"darkroom tools config": `  darkroom tools config`,
	"darkroom doctor": `  darkroom doctor
  darkroom doctor --json
  darkroom doctor --report > report.txt
  curl -si … > answer.txt
  darkroom doctor --explain answer.txt`,
	"darkroom simulate": `  darkroom simulate --addr 127.0.0.1:8080
  darkroom simulate --time-scale 0.1 --dialect camel`,
	"darkroom version": `  darkroom version`,
	"darkroom man":     `  darkroom man | man -l -`,
}

// Variables are the environment variables, for the manual.
var Variables = [][2]string{
	{"DARKROOM_BASE_URL", "the service's address; https, or http for this machine alone"},
	{"DARKROOM_API_KEY", "the key, instead of the one in the keyring"},
	{"DARKROOM_BUDGET", "credits that a day may cost; nothing is sent above"},
	{"DARKROOM_DOWNLOADS", "the folder for results"},
	{"DARKROOM_LANG", "the language: en or zh"},
	{"DARKROOM_OPENER", "absolute path of the program that opens results"},
	{"NO_COLOR", "no colours"},
	{"HTTPS_PROXY, NO_PROXY", "the proxy for calls and downloads"},
}

// Places are the files that darkroom keeps, for the manual.
var Places = [][2]string{
	{"~/.config/darkroom/config.toml", "settings"},
	{"~/.local/share/darkroom/", "the store of jobs, drafts and spending, and the results unless another folder is set"},
	{"~/.local/state/darkroom/", "the log, if it is on, and notes about crashes"},
	{"~/.cache/darkroom/", "what can be made again, such as thumbnails"},
}

// ExitCodes say what each exit code means, for the manual.
var ExitCodes = [][2]string{
	{"0", "done; with --no-wait: accepted"},
	{"1", "failed, rejected, not sent, expired"},
	{"2", "refused before anything was sent"},
	{"3", "needs a terminal"},
	{"4", "the store cannot be used"},
	{"5", "the key is missing or refused"},
	{"6", "unknown: the request may have been accepted and charged"},
	{"7", "stopped waiting; the job goes on"},
	{"128 + N", "the screens were ended by signal N"},
}
