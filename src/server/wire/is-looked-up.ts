// What providers put into an answer when they searched, fetched, or ran something by themselves.
const LOOKED_UP =
  /"type"\s?:\s?"(?:server_tool_use|mcp_(?:tool_use|tool_result|call|list_tools)|[a-z_]{2,40}_tool_result|(?:web_search|file_search|code_interpreter|computer|image_generation|local_shell|shell|fetch|browser)(?:_preview)?_call|(?:url|file|container_file)_citation|(?:web_search_result|search_result|page|char|content_block)_location)"/;

/**
 * Whether a provider's JSON says that something was looked up on its side, so that no tool of the client's brought it. Words
 * of the model cannot look like that: quotation marks in them are escaped.
 */
export function isLookedUp(json: string): boolean {
  return LOOKED_UP.test(json);
}
