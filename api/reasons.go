package api

import "syscall"

// Sentences that several packages say; the values that they take are named behind.
const (
	ReasonText = Sentence("%v")     // words that are not ours, such as the service's
	ReasonThen = Sentence("%v; %v") // what happened, what to do

	reasonEarlier = Sentence("an earlier version of darkroom held this back, for a reason that cannot be shown any more")

	ReasonNoKey      = Sentence("there is no API key; type one, or set DARKROOM_API_KEY")
	ReasonNoBase     = Sentence("there is no base URL; set DARKROOM_BASE_URL or give --base-url")
	ReasonOrigin     = Sentence("refused to send the API key to another address than the base URL's")
	ReasonNoBody     = Sentence("the request has no body")
	ReasonPath       = Sentence("the call's path is not one of the service's")
	ReasonNotLocal   = Sentence("the base URL's host is not this machine, and plain http is for this machine alone; use https://")
	ReasonNoAnswer   = Sentence("no answer")
	ReasonIncomplete = Sentence("no complete answer")
	ReasonNoByte     = Sentence("no further byte of the result")
	ReasonWithin     = Sentence("%v within %v") // what did not happen, the limit

	ReasonSilent      = Sentence("there was no answer from %v")                    // the host
	ReasonTooLarge    = Sentence("the answer of %v is larger than darkroom reads") // the host
	ReasonGave        = Sentence("the service at %v gave %v within %v")            // the host, what did not happen, the limit
	ReasonStopped     = Sentence("the call was stopped before it was complete")
	ReasonCertificate = Sentence("the certificate of %v cannot be trusted: %v")                           // the host, why
	ReasonUnreachable = Sentence("the service is not reachable at %v: %v")                                // the host, why
	ReasonMalformed   = Sentence("the answer of %v is no HTTP that can be read: %v")                      // the host, why
	ReasonEnded       = Sentence("the service at %v ended the connection before the answer was complete") // the host
	ReasonCutShort    = Sentence("the result was cut short: %v")                                          // why

	ReasonNoSuchHost  = Sentence("there is no such host name")
	ReasonLookup      = Sentence("its name cannot be looked up")
	ReasonConnRefused = Sentence("connection refused")
	ReasonReset       = Sentence("the connection was reset")
	ReasonNoNetwork   = Sentence("no way to the network")
	ReasonNoTLS       = Sentence("it does not speak TLS")
	ReasonClosed      = Sentence("the connection was closed before the answer was complete")
	ReasonLate        = Sentence("it did not answer in time")
	ReasonTLS         = Sentence("TLS failed: %v") // TLS's own word

	ReasonIssuer   = Sentence("its issuer is not known on this machine")
	ReasonName     = Sentence("it was issued for another name")
	ReasonExpired  = Sentence("it has expired, or this machine's clock is wrong")
	ReasonNotValid = Sentence("it is not valid")

	ReasonRedirect       = Sentence("the service at %v answered %v, a redirect, which darkroom does not follow") // the host, the status
	ReasonNoSuchAnswer   = Sentence("the service at %v answered %v, which is no answer to this call")            // the host, the status
	ReasonEmpty          = Sentence("the service at %v answered %v with nothing in it")                          // the host, the status
	ReasonUnreadable     = Sentence("the service at %v answered %v, which cannot be read")                       // the host, the status
	ReasonUnreadableWhy  = Sentence("the service at %v answered %v, which cannot be read: %v")                   // the host, the status, why
	ReasonResultNotTaken = Sentence("the service answered with the result itself, and nothing was there to take it")
	ReasonResultNotSaved = Sentence("the service answered with the result itself, and it could not be saved: %v") // why
	ReasonNoJobID        = Sentence("the service accepted the request, but its answer holds no job id that can be read")
	ReasonBadJobID       = Sentence("the job's id cannot be asked for: it is empty, a dot path or longer than 128 bytes")
	ReasonNoKnownID      = Sentence("none of the ids in the answer is known to the service")
	ReasonPriceUnit      = Sentence("the service gives this price in %v, not in credits, so there is no figure")       // the unit
	ReasonPriceRate      = Sentence("the service gives this price per %v, not for the request, so there is no figure") // the unit

	ReasonNoToolEntry    = Sentence("no tool-protocol entry was found at the known places of %v") // the host
	ReasonToolArguments  = Sentence("the tool's arguments must be one JSON object")
	ReasonNoTool         = Sentence("the service has no tool of that name")
	ReasonNotToolAnswer  = Sentence("it is not an answer of the tool protocol")
	ReasonToolKeyRefused = Sentence("the tool entry refused the key, although the service takes it")

	AdviseCertificate = Sentence("check the base URL, this machine's clock and any proxy")
	adviseCalls       = Sentence("raise the key's call limit on the service's API key page")
	AdviseToolEntry   = Sentence("if it is elsewhere, set tools_path under [profile] in the settings file")
	AdviseToolList    = Sentence("look at the list of its tools")
	AdviseToolCharged = Sentence("the tool may have run and been charged: look on the service's site before calling it again")
	AdviseToolLogin   = Sentence("look on the service's pages how to log in there")
)

// classReasons say, for each class, what happened and what to do. Only Error gives them.
var classReasons = map[ErrorClass]struct{ happened, advice Sentence }{
	ClassKey: {Sentence("the service refused the API key"),
		Sentence("type the key again, or check it on the service's API key page")},
	ClassCredits: {Sentence("no credits or quota left"),
		Sentence("add credits, or raise the key's quota on the service's API key page")},
	ClassRate: {Sentence("too many calls for this key"),
		Sentence("wait a minute, then try again")},
	ClassInvalid: {Sentence("the service refused the request"),
		Sentence("change it and send it again")},
	ClassModeration: {Sentence("the service refused the content"),
		Sentence("change the prompt or the materials")},
	ClassNotFound: {Sentence("the service does not know this"),
		Sentence("check the base URL and the id")},
	ClassConflict: {Sentence("the service reports a conflict"),
		Sentence("look at the job on the service's site before sending again")},
	ClassServer: {Sentence("the service reports a fault of its own"),
		Sentence("try again later")},
	ClassNetwork: {Sentence("the service is not reachable"),
		Sentence("check the network and the base URL")},
	ClassUnreadable: {Sentence("the service's answer cannot be read"),
		Sentence("check the base URL, or look at the raw answer")},
	ClassCurrency: {Sentence("the service gives its prices in another unit than credits"),
		Sentence("look up what it costs on the service's site")},
}

const (
	reasonStatus = Sentence("%v (%v)")
	reasonWords  = Sentence("%v (%v): %v")
	adviseWait   = Sentence("wait %v, then try again")
)

// systemReasons are the system's reasons that come up often.
var systemReasons = map[syscall.Errno]Sentence{
	syscall.ENOENT: Sentence("no such file or directory"),
	syscall.EACCES: Sentence("permission denied"),
	syscall.ENOSPC: Sentence("no space left on device"),
	syscall.EROFS:  Sentence("read-only file system"),
}
