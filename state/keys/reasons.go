package keys

import "darkroom/api"

// Why the keyring gives or takes no key. Most end in what to do instead.
var (
	whyInstead = api.Declare("keyring_instead", "keep the key for this session only, or set DARKROOM_API_KEY")

	whyNone      = api.Declare("keyring_empty", "the keyring holds no key for this service")
	whyTooLong   = api.Declare("keyring_too_long", "the keyring of this system cannot hold a key of this length: %v")
	whyUnknown   = api.Declare("keyring_unknown", "this system has no keyring that darkroom knows: %v")
	whyLocked    = api.Declare("keyring_locked", "the keyring is locked: unlock it and try again, or %v")
	whyFailed    = api.Declare("keyring_failed", "the keyring failed (%v): %v")
	whyNoService = api.Declare("keyring_no_service", "no keyring service is running (GNOME Keyring, KWallet and KeePassXC are such services): start one, %v")
	whyNoReach   = api.Declare("keyring_no_bus", "the session bus cannot be reached, so there is no keyring: %v")
	whySilent    = api.Declare("keyring_silent", "the keyring did not answer for 2 minutes and is not asked again in this session: %v")
	whyWaiting   = api.Declare("keyring_waiting", "the keyring has not answered; it may be asking for its password in a window: answer it, or %v")
	whyContent   = api.Declare("keyring_content", "what the keyring holds for this service is not an API key: run 'darkroom login' to replace it")
	whyPanicked  = api.Declare("keyring_broke", "the keyring library broke down")
)

// orInstead is a reason that ends in what to do instead.
func orInstead(k api.ReasonKind) api.Reason { return k.Reason(whyInstead.Reason()) }
