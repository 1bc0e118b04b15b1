/** What a hook is about, whatever the client calls it. */
export type Moment = "start" | "prompt" | "turn" | "compact" | "end";

const MOMENTS: Readonly<Record<string, Moment>> = {
  SessionStart: "start",
  UserPromptSubmit: "prompt",
  BeforeAgent: "prompt",
  Stop: "turn",
  AfterAgent: "turn",
  PreCompact: "compact",
  PreCompress: "compact",
  SessionEnd: "end",
};

/** The events that are known. */
export const EVENTS: readonly string[] = Object.keys(MOMENTS);

/** What an event is about; undefined where it is none that we know. */
export function momentOf(event: string): Moment | undefined {
  return Object.hasOwn(MOMENTS, event) ? MOMENTS[event] : undefined;
}
