// What providers put into an answer when they searched, fetched, or ran something by themselves: parts of it, and fields
// beside it. Those are often there and empty where nothing was found.
const LOOKED_UP = [
  /"type"\s*:\s*"(?:server_tool_use|mcp_(?:tool_use|tool_result|call|list_tools)|[a-z_]{2,40}_tool_result|(?:web_search|file_search|code_interpreter|computer|image_generation|local_shell|shell|fetch|browser)(?:_preview)?_call|program_output|(?:url|file|container_file)_citation|(?:web_search_result|search_result|page|char|content_block)_location)"/,
  /"(?:citations|search_results|web_search|executed_tools|grounding_?chunks)"\s*:\s*\[\s*(?:"https?:|\{)/i,
  /"(?:(?:grounding|url_?context)_?metadata|search_info)"\s*:\s*(?:\{\s*"|\[\s*\{)/i,
  /"num_sources_used"\s*:\s*[1-9]/,
];

/**
 * Whether a provider's JSON says that something was looked up on its side, so that no tool of the client's brought it. Words
 * of the model cannot look like that: quotation marks in them are escaped.
 */
export function isLookedUp(json: string): boolean {
  return LOOKED_UP.some((sign) => sign.test(json));
}
