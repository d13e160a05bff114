package remote

import "darkroom/api"

// Why nothing can be asked of the service.
var (
	whyNoBase      = api.Declare("set_base", "no service address is set: set DARKROOM_BASE_URL or base_url in the settings file")
	whyNoKey       = api.Declare("set_key", "no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run")
	whyNoKeyWhy    = api.Declare("set_key_why", "no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run (%v)")
	whyKeyRefused  = api.Declare("key_refused", "the service refused the API key: run 'darkroom login' with a valid one")
	whyHoldsKey    = api.Declare("holds_key", "the request holds your API key: take it out; nothing of it was sent or kept")
	whyKeyVariable = api.Declare("key_variable", "DARKROOM_API_KEY: %v")
	whyPending     = api.Declare("keyring_pending", "the keyring has not answered yet")
	whyPendingDo   = api.Declare("keyring_pending_do", "the keyring has not answered yet: wait a moment, or type the key for this session")
	whyRest        = api.Declare("service_rest", "the service asked for a rest until %v")
	whyToolsPath   = api.Declare("tools_path_setting", "tools_path in the settings file: %v")
)
