package api

// Codes of reasons that other packages give.
const (
	ReasonText = "text" // words that have no code, such as the service's
	ReasonThen = "then" // what happened, what to do

	ReasonNoKey      = "no_key"
	ReasonNoBase     = "no_base"
	ReasonOrigin     = "other_origin"
	ReasonNoBody     = "no_body"
	ReasonPath       = "wrong_path"
	ReasonNotLocal   = "plain_http_elsewhere"
	ReasonNoAnswer   = "no_answer"
	ReasonIncomplete = "no_complete_answer"
	ReasonNoByte     = "no_further_byte"
	ReasonWithin     = "within" // what did not happen, the limit

	ReasonSilent      = "silent"    // the host
	ReasonTooLarge    = "too_large" // the host
	ReasonGave        = "gave"      // the host, what did not happen, the limit
	ReasonStopped     = "stopped"
	ReasonCertificate = "certificate" // the host, why
	ReasonUnreachable = "unreachable" // the host, why
	ReasonEnded       = "ended_early" // the host
	ReasonCutShort    = "cut_short"   // why

	ReasonNoSuchHost  = "no_such_host"
	ReasonLookup      = "lookup_failed"
	ReasonConnRefused = "connection_refused"
	ReasonReset       = "connection_reset"
	ReasonNoNetwork   = "no_network"
	ReasonNoTLS       = "no_tls"
	ReasonClosed      = "connection_closed"
	ReasonLate        = "too_late"
	ReasonTLS         = "tls_failed" // TLS's own word

	ReasonIssuer   = "unknown_issuer"
	ReasonName     = "other_name"
	ReasonExpired  = "expired"
	ReasonNotValid = "not_valid"

	ReasonRedirect       = "redirect"       // the host, the status
	ReasonNoSuchAnswer   = "no_such_answer" // the host, the status
	ReasonEmpty          = "empty"          // the host, the status
	ReasonUnreadable     = "unreadable"     // the host, the status
	ReasonUnreadableWhy  = "unreadable_why" // the host, the status, why
	ReasonResultNotTaken = "result_not_taken"
	ReasonResultNotSaved = "result_not_saved" // why
	ReasonNoJobID        = "no_job_id"
	ReasonBadJobID       = "bad_job_id"
	ReasonNoKnownID      = "no_known_id"
	ReasonPriceUnit      = "price_unit" // the unit
	ReasonPriceRate      = "price_rate" // the unit

	ReasonNoToolEntry    = "no_tool_entry" // the host
	ReasonToolArguments  = "tool_arguments"
	ReasonNoTool         = "no_tool"
	ReasonNotToolAnswer  = "no_tool_answer"
	ReasonToolKeyRefused = "tool_key_refused"

	AdviseCertificate = "advise_certificate"
	adviseCalls       = "advise_calls"
	AdviseToolEntry   = "advise_tool_entry"
	AdviseToolList    = "advise_tool_list"
	AdviseToolCharged = "advise_tool_charged"
	AdviseToolLogin   = "advise_tool_login"
)

// Codes of what happened, by class, and of advice. Only Error makes them.
const (
	reasonClass  = "class_"  // before a class: what happened
	adviseClass  = "advise_" // before a class: what to do
	reasonStatus = "with_status"
	reasonWords  = "with_status_and_text"
	adviseWait   = "advise_wait"
)

// reasonFormats are the English lines of all reasons, for logs and programs.
var reasonFormats = map[string]string{
	ReasonText: "%v",
	ReasonThen: "%v; %v",

	ReasonNoKey:      "there is no API key; type one, or set DARKROOM_API_KEY",
	ReasonNoBase:     "there is no base URL; set DARKROOM_BASE_URL or give --base-url",
	ReasonOrigin:     "refused to send the API key to another address than the base URL's",
	ReasonNoBody:     "the request has no body",
	ReasonPath:       "the call's path is not one of the service's",
	ReasonNotLocal:   "the base URL's host is not this machine, and plain http is for this machine alone; use https://",
	ReasonNoAnswer:   "no answer",
	ReasonIncomplete: "no complete answer",
	ReasonNoByte:     "no further byte of the result",
	ReasonWithin:     "%v within %v",

	ReasonSilent:      "there was no answer from %v",
	ReasonTooLarge:    "the answer of %v is larger than darkroom reads",
	ReasonGave:        "the service at %v gave %v within %v",
	ReasonStopped:     "the call was stopped before it was complete",
	ReasonCertificate: "the certificate of %v cannot be trusted: %v",
	ReasonUnreachable: "the service is not reachable at %v: %v",
	ReasonEnded:       "the service at %v ended the connection before the answer was complete",
	ReasonCutShort:    "the result was cut short: %v",

	ReasonNoSuchHost:  "there is no such host name",
	ReasonLookup:      "its name cannot be looked up",
	ReasonConnRefused: "connection refused",
	ReasonReset:       "the connection was reset",
	ReasonNoNetwork:   "no way to the network",
	ReasonNoTLS:       "it does not speak TLS",
	ReasonClosed:      "the connection was closed before the answer was complete",
	ReasonLate:        "it did not answer in time",
	ReasonTLS:         "TLS failed: %v",

	ReasonIssuer:   "its issuer is not known on this machine",
	ReasonName:     "it was issued for another name",
	ReasonExpired:  "it has expired, or this machine's clock is wrong",
	ReasonNotValid: "it is not valid",

	ReasonRedirect:       "the service at %v answered %v, a redirect, which darkroom does not follow",
	ReasonNoSuchAnswer:   "the service at %v answered %v, which is no answer to this call",
	ReasonEmpty:          "the service at %v answered %v with nothing in it",
	ReasonUnreadable:     "the service at %v answered %v, which cannot be read",
	ReasonUnreadableWhy:  "the service at %v answered %v, which cannot be read: %v",
	ReasonResultNotTaken: "the service answered with the result itself, and nothing was there to take it",
	ReasonResultNotSaved: "the service answered with the result itself, and it could not be saved: %v",
	ReasonNoJobID:        "the service accepted the request, but its answer holds no job id that can be read",
	ReasonBadJobID:       "the job's id cannot be asked for: it is empty, a dot path or longer than 128 bytes",
	ReasonNoKnownID:      "none of the ids in the answer is known to the service",
	ReasonPriceUnit:      "the service gives this price in %v, not in credits, so there is no figure",
	ReasonPriceRate:      "the service gives this price per %v, not for the request, so there is no figure",

	ReasonNoToolEntry:    "no tool-protocol entry was found at the known places of %v",
	ReasonToolArguments:  "the tool's arguments must be one JSON object",
	ReasonNoTool:         "the service has no tool of that name",
	ReasonNotToolAnswer:  "it is not an answer of the tool protocol",
	ReasonToolKeyRefused: "the tool entry refused the key, although the service takes it",

	AdviseCertificate: "check the base URL, this machine's clock and any proxy",
	adviseCalls:       "raise the key's call limit on the service's API key page",
	AdviseToolEntry:   "if it is elsewhere, set tools_path under [profile] in the settings file",
	AdviseToolList:    "look at the list of its tools",
	AdviseToolCharged: "the tool may have run and been charged: look on the service's site before calling it again",
	AdviseToolLogin:   "look on the service's pages how to log in there",

	reasonClass + string(ClassKey):        "the service refused the API key",
	reasonClass + string(ClassCredits):    "no credits or quota left",
	reasonClass + string(ClassRate):       "too many calls for this key",
	reasonClass + string(ClassInvalid):    "the service refused the request",
	reasonClass + string(ClassModeration): "the service refused the content",
	reasonClass + string(ClassNotFound):   "the service does not know this",
	reasonClass + string(ClassConflict):   "the service reports a conflict",
	reasonClass + string(ClassServer):     "the service reports a fault of its own",
	reasonClass + string(ClassNetwork):    "the service is not reachable",
	reasonClass + string(ClassUnreadable): "the service's answer cannot be read",
	reasonClass + string(ClassCurrency):   "the service gives its prices in another unit than credits",
	reasonStatus:                          "%v (%v)",
	reasonWords:                           "%v (%v): %v",

	adviseClass + string(ClassKey):        "type the key again, or check it on the service's API key page",
	adviseClass + string(ClassCredits):    "add credits, or raise the key's quota on the service's API key page",
	adviseClass + string(ClassRate):       "wait a minute, then try again",
	adviseClass + string(ClassInvalid):    "change it and send it again",
	adviseClass + string(ClassModeration): "change the prompt or the materials",
	adviseClass + string(ClassNotFound):   "check the base URL and the id",
	adviseClass + string(ClassConflict):   "look at the job on the service's site before sending again",
	adviseClass + string(ClassServer):     "try again later",
	adviseClass + string(ClassNetwork):    "check the network and the base URL",
	adviseClass + string(ClassUnreadable): "check the base URL, or look at the raw answer",
	adviseClass + string(ClassCurrency):   "look up what it costs on the service's site",
	adviseWait:                            "wait %v, then try again",

	"no_such_file":    "no such file or directory",
	"no_permission":   "permission denied",
	"no_space":        "no space left on device",
	"read_only_files": "read-only file system",
}
