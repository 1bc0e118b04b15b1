import { render } from "preact";
import { App } from "./app.tsx";
import { listen } from "./live.ts";
import { applyTheme } from "./theme.ts";
import "./styles/ground.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/views.css";

applyTheme();
listen();
const place = document.querySelector("#page");
if (place) render(<App />, place);
