package remote

import "strings"

// ToolClient is a ready configuration of another program for the service's
// tool-protocol entry. It names the variable that holds the key, never the key.
type ToolClient struct {
	Name string // a short word to choose it by
	File string // where it belongs; "" for a command
	Text string
}

// ToolClients gives the configurations for an entry at address, which is a URL
// of the service: it holds no quotes.
func ToolClients(address string) []ToolClient {
	fill := strings.NewReplacer("ADDRESS", address, "VARIABLE", "DARKROOM_API_KEY").Replace
	return []ToolClient{
		{"project", ".mcp.json", fill(`{
  "mcpServers": {
    "darkroom": {
      "type": "http",
      "url": "ADDRESS",
      "headers": { "Authorization": "Bearer ${VARIABLE}" }
    }
  }
}`)},
		{"vscode", ".vscode/mcp.json", fill(`{
  "servers": {
    "darkroom": {
      "type": "http",
      "url": "ADDRESS",
      "headers": { "Authorization": "Bearer ${env:VARIABLE}" }
    }
  }
}`)},
		{"cursor", ".cursor/mcp.json", fill(`{
  "mcpServers": {
    "darkroom": {
      "url": "ADDRESS",
      "headers": { "Authorization": "Bearer ${env:VARIABLE}" }
    }
  }
}`)},
		{"codex", ".codex/config.toml", fill(`[mcp_servers.darkroom]
url = "ADDRESS"
bearer_token_env_var = "VARIABLE"`)},
		{"curl", "", fill(`curl 'ADDRESS' \
  -H "Authorization: Bearer $VARIABLE" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' \
  --data '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`)},
	}
}
