import { render } from "preact";
import { App } from "./app.tsx";
import { listen } from "./live.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
listen();
const place = document.querySelector("#page");
if (place) render(<App />, place);
