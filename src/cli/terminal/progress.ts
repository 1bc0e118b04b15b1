/** Shows how far a long piece of work is; a total that is not known yet is undefined. */
export type ShowProgress = (done: number, total: number | undefined) => void;

/** What a bar needs of a stream. */
export interface ProgressStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

const WIDEST_BAR = 24;
// What is over by then needs no bar.
const SILENT_MS = 300;
const REDRAW_MS = 100;
// The rate is that of the last seconds: the start is often slower or faster than the rest.
const RATE_WINDOW_MS = 5000;

/**
 * A bar on a terminal's stderr: how much, how fast, how long still. It goes away at the end, so that results stand alone.
 * Anywhere else it is silent.
 */
export function createProgress(
  label: string,
  stream: ProgressStream = process.stderr,
  clock: () => number = Date.now,
): ShowProgress {
  if (stream.isTTY !== true) return () => undefined;
  const begun = clock();
  let samples = [{ at: begun, done: 0 }];
  let drawnAt = 0;
  return (done, total) => {
    const now = clock();
    if (total !== undefined && done >= total) {
      if (drawnAt > 0) stream.write("\r\u001B[K");
      drawnAt = 0;
      return;
    }
    if (now - begun < SILENT_MS || now - drawnAt < REDRAW_MS) return;
    samples = [...samples.filter(({ at }) => now - at < RATE_WINDOW_MS), { at: now, done }];
    drawnAt = now;
    const line = drawLine(label, done, total, rateOf(samples, begun, now), (stream.columns ?? 80) - 1);
    stream.write(`\r${line}\u001B[K`);
  };
}

function rateOf(samples: readonly { at: number; done: number }[], begun: number, now: number): number {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return 0;
  if (now - first.at < SILENT_MS) return now > begun ? (last.done / (now - begun)) * 1000 : 0;
  return ((last.done - first.done) / (now - first.at)) * 1000;
}

function drawLine(label: string, done: number, total: number | undefined, perSecond: number, width: number): string {
  const rate = perSecond > 0 ? ` · ${formatCount(perSecond)}/s` : "";
  if (total === undefined) return fit(`${label} ${formatCount(done)}${rate}`, width);
  const share = total === 0 ? 1 : done / total;
  const rest = perSecond > 0 ? ` · ${formatDuration((total - done) / perSecond)} left` : "";
  const words = `${label} ${formatCount(done)} of ${formatCount(total)} (${Math.floor(share * 100)} %)${rate}${rest}`;
  const barWidth = Math.min(WIDEST_BAR, width - words.length - 1);
  if (barWidth < 8) return fit(words, width);
  return `${"█".repeat(Math.round(share * barWidth)).padEnd(barWidth, "░")} ${words}`;
}

function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function formatCount(count: number): string {
  return count < 10 && !Number.isInteger(count) ? count.toFixed(1) : Math.round(count).toLocaleString("en-US");
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min${whole % 60 === 0 ? "" : ` ${whole % 60} s`}`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}
