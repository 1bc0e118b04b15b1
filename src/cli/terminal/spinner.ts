import type { Style } from "./style.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 90;

/** Shows that something is under way, until something else is to be shown. */
export interface Spinner {
  start(label: string): void;
  stop(): void;
}

/** A spinner on a terminal; anywhere else it is silent. */
export function createSpinner(stream: NodeJS.WriteStream, style: Style): Spinner {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    stream.write("\r\u001B[K");
  };
  return {
    start(label) {
      stop();
      if (!stream.isTTY || style.isPlain) return;
      let frame = 0;
      const draw = (): void => {
        stream.write(`\r${style.accent(FRAMES[frame++ % FRAMES.length] ?? "")} ${style.dim(label)}\u001B[K`);
      };
      draw();
      timer = setInterval(draw, FRAME_MS).unref();
    },
    stop,
  };
}
