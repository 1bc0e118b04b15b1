import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageFrame } from "../server/inspector/frame-shapes.ts";
import { ask } from "./ask.ts";
import { onLive } from "./live.ts";
import { Icon } from "./parts/icons.tsx";
import type { IconName } from "./parts/icons.tsx";
import { Toasts } from "./parts/toasts.tsx";
import { hrefTo, useRoute } from "./route.ts";
import type { Route } from "./route.ts";
import { SignIn } from "./sign-in.tsx";
import { applyTheme } from "./theme.ts";
import { onLocked, useQuery } from "./use-query.ts";
import { MemoryView } from "./views/memory-view.tsx";

/** What every view is given. */
export interface ViewProps {
  frame: PageFrame;
  route: Route;
}

type View = { name: IconName; title: string; load: () => Promise<ComponentType<ViewProps>> };

const VIEWS: readonly View[] = [
  { name: "memory", title: "Memory", load: async () => MemoryView },
  { name: "timeline", title: "Timeline", load: async () => (await import("./views/timeline-view.tsx")).TimelineView },
  { name: "review", title: "Review", load: async () => (await import("./views/review-view.tsx")).ReviewView },
  { name: "talk", title: "Talk", load: async () => (await import("./views/talk-view.tsx")).TalkView },
  { name: "search", title: "Search", load: async () => (await import("./views/search-view.tsx")).SearchView },
  { name: "health", title: "Health", load: async () => (await import("./views/health-view.tsx")).HealthView },
  { name: "forget", title: "Forget", load: async () => (await import("./views/forget-view.tsx")).ForgetView },
];

/** The whole page. */
export function App() {
  const route = useRoute();
  const [isLocked, setLocked] = useState(false);
  const frame = useQuery("page", (signal) => ask("page", { signal }));
  useEffect(() => onLocked(() => setLocked(true)), []);
  if (isLocked) {
    return (
      <SignIn
        onEntered={() => {
          setLocked(false);
          frame.again();
        }}
      />
    );
  }
  const view = VIEWS.find(({ name }) => name === route.view) ?? VIEWS[0];
  if (view === undefined) return null;
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <Rail frame={frame.data} current={view.name} />
      <main class="scroller" id="content" tabIndex={-1}>
        {frame.data && <Shown key={view.name} view={view} frame={frame.data} route={route} />}
        {frame.error && !frame.data && <p class="failed">{frame.error}</p>}
      </main>
      <Toasts />
    </div>
  );
}

function skipToContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content")?.focus();
}

function Shown({ view, frame, route }: { view: View } & ViewProps) {
  const [Component, setComponent] = useState<{ of: ComponentType<ViewProps> }>();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${view.title} · Tidemark`;
    void view.load().then((of) => setComponent({ of }));
  }, [view]);
  return (
    <div class={`view ${view.name}`}>
      <h1 ref={title}>{view.title}</h1>
      {Component && <Component.of frame={frame} route={route} />}
    </div>
  );
}

function Rail({ frame, current }: { frame: PageFrame | undefined; current: string }) {
  const [isLive, setLive] = useState(true);
  useEffect(() => onLive(setLive), []);
  const waiting = frame?.waiting ?? 0;
  return (
    <header class="rail">
      <div class="brand">
        <svg class="mark" viewBox="0 0 32 20" aria-hidden="true">
          <path d="M2 8c4 0 4-4 8-4s4 4 8 4 4-4 8-4 3 1 4 1.600" />
          <path class="deep" d="M2 15c4 0 4-4 8-4s4 4 8 4 4-4 8-4 3 1 4 1.600" />
        </svg>
        <span class="name">Tidemark</span>
      </div>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(({ name, title }) => (
            <li key={name}>
              <a href={hrefTo(name)} aria-current={name === current ? "page" : undefined}>
                <Icon name={name} />
                <span>{title}</span>
                {name === "review" && waiting > 0 && (
                  <span class="count">
                    {waiting}
                    <span class="hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="rail-end">
        <p class={isLive ? "live" : "live off"} role="status">
          {isLive ? "Live" : "Not connected; retrying"}
        </p>
        {frame?.isReadOnly && <p class="read-only">Read-only</p>}
        <p class="workspace" title={frame?.workspace}>
          <bdi>{frame?.workspace.split(/[/\\]/).at(-1)}</bdi>
        </p>
        <ThemeButton />
      </div>
    </header>
  );
}

function ThemeButton() {
  const [isDark, setDark] = useState(document.documentElement.dataset["theme"] === "dark");
  return (
    <button
      type="button"
      class="quiet theme"
      onClick={() => {
        applyTheme(isDark ? "light" : "dark");
        setDark(!isDark);
      }}
    >
      <Icon name={isDark ? "sun" : "moon"} />
      <span>{isDark ? "Light" : "Dark"}</span>
    </button>
  );
}
