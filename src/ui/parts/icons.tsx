const PATHS = {
  memory:
    "M3 15c2.5 0 2.5-3 5-3s2.5 3 5 3 2.5-3 5-3 1.5 1 3 1.6M3 20c2.5 0 2.5-2 5-2s2.5 2 5 2 2.5-2 5-2 1.5.6 3 1M16 8a3 3 0 1 0-6 0",
  timeline: "M5 4v16M5 7h9M5 12h13M5 17h7",
  review: "M4 12l5 5L20 6",
  talk: "M4 5h16v11H10l-4 4v-4H4z",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.5 16.5L21 21",
  forget: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  health: "M3 12h4l3-7 4 14 3-7h4",
  map: "M6 7a2 2 0 1 0 .1 0M18 5a2 2 0 1 0 .1 0M13 18a2 2 0 1 0 .1 0M8 9.5l4 6.5M16.5 8L13.5 15.5M8 8l8-1",
  sun: "M12 8a4 4 0 1 0 .1 0M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
} as const;

export type IconName = keyof typeof PATHS;

/** A small drawing beside a word, which says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
