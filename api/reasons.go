package api

import "syscall"

// Codes of reasons that stored jobs and other packages name.
const (
	ReasonText = "text" // words that have no code, such as the service's
	ReasonThen = "then" // what happened, what to do
)

// Reasons that several packages give; the values that they take are named behind.
var (
	_ = Declare("text", "%v")
	_ = Declare("then", "%v; %v")

	ReasonNoKey      = Declare("no_key", "there is no API key; type one, or set DARKROOM_API_KEY")
	ReasonNoBase     = Declare("no_base", "there is no base URL; set DARKROOM_BASE_URL or give --base-url")
	ReasonOrigin     = Declare("other_origin", "refused to send the API key to another address than the base URL's")
	ReasonNoBody     = Declare("no_body", "the request has no body")
	ReasonPath       = Declare("wrong_path", "the call's path is not one of the service's")
	ReasonNotLocal   = Declare("plain_http_elsewhere", "the base URL's host is not this machine, and plain http is for this machine alone; use https://")
	ReasonNoAnswer   = Declare("no_answer", "no answer")
	ReasonIncomplete = Declare("no_complete_answer", "no complete answer")
	ReasonNoByte     = Declare("no_further_byte", "no further byte of the result")
	ReasonWithin     = Declare("within", "%v within %v") // what did not happen, the limit

	ReasonSilent      = Declare("silent", "there was no answer from %v")                       // the host
	ReasonTooLarge    = Declare("too_large", "the answer of %v is larger than darkroom reads") // the host
	ReasonGave        = Declare("gave", "the service at %v gave %v within %v")                 // the host, what did not happen, the limit
	ReasonStopped     = Declare("stopped", "the call was stopped before it was complete")
	ReasonCertificate = Declare("certificate", "the certificate of %v cannot be trusted: %v")                           // the host, why
	ReasonUnreachable = Declare("unreachable", "the service is not reachable at %v: %v")                                // the host, why
	ReasonMalformed   = Declare("malformed", "the answer of %v is no HTTP that can be read: %v")                        // the host, why
	ReasonEnded       = Declare("ended_early", "the service at %v ended the connection before the answer was complete") // the host
	ReasonCutShort    = Declare("cut_short", "the result was cut short: %v")                                            // why

	ReasonNoSuchHost  = Declare("no_such_host", "there is no such host name")
	ReasonLookup      = Declare("lookup_failed", "its name cannot be looked up")
	ReasonConnRefused = Declare("connection_refused", "connection refused")
	ReasonReset       = Declare("connection_reset", "the connection was reset")
	ReasonNoNetwork   = Declare("no_network", "no way to the network")
	ReasonNoTLS       = Declare("no_tls", "it does not speak TLS")
	ReasonClosed      = Declare("connection_closed", "the connection was closed before the answer was complete")
	ReasonLate        = Declare("too_late", "it did not answer in time")
	ReasonTLS         = Declare("tls_failed", "TLS failed: %v") // TLS's own word

	ReasonIssuer   = Declare("unknown_issuer", "its issuer is not known on this machine")
	ReasonName     = Declare("other_name", "it was issued for another name")
	ReasonExpired  = Declare("expired", "it has expired, or this machine's clock is wrong")
	ReasonNotValid = Declare("not_valid", "it is not valid")

	ReasonRedirect       = Declare("redirect", "the service at %v answered %v, a redirect, which darkroom does not follow") // the host, the status
	ReasonNoSuchAnswer   = Declare("no_such_answer", "the service at %v answered %v, which is no answer to this call")      // the host, the status
	ReasonEmpty          = Declare("empty", "the service at %v answered %v with nothing in it")                             // the host, the status
	ReasonUnreadable     = Declare("unreadable", "the service at %v answered %v, which cannot be read")                     // the host, the status
	ReasonUnreadableWhy  = Declare("unreadable_why", "the service at %v answered %v, which cannot be read: %v")             // the host, the status, why
	ReasonResultNotTaken = Declare("result_not_taken", "the service answered with the result itself, and nothing was there to take it")
	ReasonResultNotSaved = Declare("result_not_saved", "the service answered with the result itself, and it could not be saved: %v") // why
	ReasonNoJobID        = Declare("no_job_id", "the service accepted the request, but its answer holds no job id that can be read")
	ReasonBadJobID       = Declare("bad_job_id", "the job's id cannot be asked for: it is empty, a dot path or longer than 128 bytes")
	ReasonNoKnownID      = Declare("no_known_id", "none of the ids in the answer is known to the service")
	ReasonPriceUnit      = Declare("price_unit", "the service gives this price in %v, not in credits, so there is no figure")       // the unit
	ReasonPriceRate      = Declare("price_rate", "the service gives this price per %v, not for the request, so there is no figure") // the unit

	ReasonNoToolEntry    = Declare("no_tool_entry", "no tool-protocol entry was found at the known places of %v") // the host
	ReasonToolArguments  = Declare("tool_arguments", "the tool's arguments must be one JSON object")
	ReasonNoTool         = Declare("no_tool", "the service has no tool of that name")
	ReasonNotToolAnswer  = Declare("no_tool_answer", "it is not an answer of the tool protocol")
	ReasonToolKeyRefused = Declare("tool_key_refused", "the tool entry refused the key, although the service takes it")

	AdviseCertificate = Declare("advise_certificate", "check the base URL, this machine's clock and any proxy")
	adviseCalls       = Declare("advise_calls", "raise the key's call limit on the service's API key page")
	AdviseToolEntry   = Declare("advise_tool_entry", "if it is elsewhere, set tools_path under [profile] in the settings file")
	AdviseToolList    = Declare("advise_tool_list", "look at the list of its tools")
	AdviseToolCharged = Declare("advise_tool_charged", "the tool may have run and been charged: look on the service's site before calling it again")
	AdviseToolLogin   = Declare("advise_tool_login", "look on the service's pages how to log in there")
)

// classReasons say, for each class, what happened and what to do. Only Error gives them.
var classReasons = map[ErrorClass]struct{ happened, advice ReasonKind }{
	ClassKey: {Declare("class_key", "the service refused the API key"),
		Declare("advise_key", "type the key again, or check it on the service's API key page")},
	ClassCredits: {Declare("class_credits", "no credits or quota left"),
		Declare("advise_credits", "add credits, or raise the key's quota on the service's API key page")},
	ClassRate: {Declare("class_rate", "too many calls for this key"),
		Declare("advise_rate", "wait a minute, then try again")},
	ClassInvalid: {Declare("class_invalid", "the service refused the request"),
		Declare("advise_invalid", "change it and send it again")},
	ClassModeration: {Declare("class_moderation", "the service refused the content"),
		Declare("advise_moderation", "change the prompt or the materials")},
	ClassNotFound: {Declare("class_not_found", "the service does not know this"),
		Declare("advise_not_found", "check the base URL and the id")},
	ClassConflict: {Declare("class_conflict", "the service reports a conflict"),
		Declare("advise_conflict", "look at the job on the service's site before sending again")},
	ClassServer: {Declare("class_server", "the service reports a fault of its own"),
		Declare("advise_server", "try again later")},
	ClassNetwork: {Declare("class_network", "the service is not reachable"),
		Declare("advise_network", "check the network and the base URL")},
	ClassUnreadable: {Declare("class_unreadable", "the service's answer cannot be read"),
		Declare("advise_unreadable", "check the base URL, or look at the raw answer")},
	ClassCurrency: {Declare("class_currency", "the service gives its prices in another unit than credits"),
		Declare("advise_currency", "look up what it costs on the service's site")},
}

var (
	reasonStatus = Declare("with_status", "%v (%v)")
	reasonWords  = Declare("with_status_and_text", "%v (%v): %v")
	adviseWait   = Declare("advise_wait", "wait %v, then try again")
)

// systemReasons are the system's reasons that come up often.
var systemReasons = map[syscall.Errno]ReasonKind{
	syscall.ENOENT: Declare("no_such_file", "no such file or directory"),
	syscall.EACCES: Declare("no_permission", "permission denied"),
	syscall.ENOSPC: Declare("no_space", "no space left on device"),
	syscall.EROFS:  Declare("read_only_files", "read-only file system"),
}
