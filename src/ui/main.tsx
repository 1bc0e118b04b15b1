import { render } from "preact";
import { App } from "./app.tsx";
import { askAhead } from "./ask.ts";
import { listen } from "./live.ts";
import { readRoute } from "./route.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
const { view, rest } = readRoute(location.hash);
if (view === "memory") {
  // The first view is not to wait for the frame around it.
  const query = { memory: rest["memory"] ?? "" };
  if ((rest["file"] ?? "MEMORY.md") === "MEMORY.md") askAhead("facts", { query });
  askAhead("states", { query });
  askAhead("files", { query });
}
listen();
const place = document.querySelector("#page");
if (place) render(<App />, place);
