package read

import "darkroom/api"

// Why an answer cannot be read.
var (
	whyMedia   = api.Declare("read_media", "not JSON: the body is media")
	whyEmpty   = api.Declare("read_empty", "not JSON: the answer is empty")
	whyHTML    = api.Declare("read_html", "not JSON: HTML")
	whyXML     = api.Declare("read_xml", "not JSON: XML or HTML")
	whyNotJSON = api.Declare("read_not_json", "not JSON")
	whyTree    = api.Declare("read_tree", "not JSON: %v")

	whyNoAmount = api.Declare("read_no_amount", "the answer holds no amount that could be read")
	whyNoModels = api.Declare("read_no_models", "the answer lists no models that could be read")
	whyNothing  = api.Declare("read_nothing", "no id, no status and no result were found")
	whyHeader   = api.Declare("read_header_line", "give a header as Name: value")
)

var (
	errNoAmount   = whyNoAmount.Fault(nil)
	errNoModels   = whyNoModels.Fault(nil)
	errHeaderLine = whyHeader.Fault(nil)

	errEmpty    = whyEmpty.Fault(nil)
	errSyntax   = whyNotJSON.Fault(nil)
	errTrailing = api.Declare("read_trailing", "text after the JSON value").Fault(nil)
	errDeep     = api.Declare("read_deep", "nested too deeply").Fault(nil)
	errMany     = api.Declare("read_many", "too many values").Fault(nil)
)
