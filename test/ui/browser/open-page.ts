import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { makeMonth } from "../../../tools/demo-ui/make-month.ts";

const CLI = resolve(import.meta.dirname, "../../../bin/tidemark.js");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser: Browser | undefined;
let month = "";

/** Gives the tests of a file a browser, and the made-up month to copy. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
    month = await mkdtemp(join(tmpdir(), "tidemark-month-"));
    await makeMonth(month, new Date());
  });
  afterAll(async () => {
    await browser?.close();
    await rm(month, { recursive: true, force: true });
  });
}

/** A workspace of its own for a test: the month, or nothing yet. */
export async function newWorkspace(kind: "month" | "empty" = "month"): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), "tidemark-ui-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  if (kind === "month") await cp(month, workspace, { recursive: true });
  return workspace;
}

/** A running inspector. */
export interface Shown {
  workspace: string;
  /** What was printed: a link that lets one browser in, or the address. */
  link: string;
  url: string;
  context: BrowserContext;
  page: Page;
  /** Errors of the page, and requests to anywhere else. */
  problems: string[];
  /** Ends the server, as a person would. */
  stop(): Promise<void>;
  open(hash: string): Promise<Page>;
  memory(): Promise<string>;
}

/** Starts what is shipped, and opens its page in a fresh browser profile. */
export async function showPage(
  workspace: string,
  options: { command?: string[]; browser?: BrowserContextOptions; hash?: string } = {},
): Promise<Shown> {
  const { link, stop } = await startServer([...(options.command ?? ["ui", "--no-open"]), "-w", workspace]);
  const url = new URL(link).origin;
  const problems: string[] = [];
  const context = await newContext(url, problems, options.browser);
  const page = await context.newPage();
  await page.goto(link);
  await page.goto(`${url}/${options.hash ?? ""}`);
  return {
    workspace,
    link,
    url,
    context,
    page,
    problems,
    stop,
    async open(hash) {
      await page.goto(`${url}/${hash}`);
      return page;
    },
    memory: () => readFile(join(workspace, "memory", "MEMORY.md"), "utf8"),
  };
}

/** A browser profile that notes every error and every request to elsewhere. */
export async function newContext(
  url: string,
  problems: string[],
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("useBrowser() was not called");
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  // A busy machine is slow, not wrong.
  context.setDefaultTimeout(60_000);
  onTestFinished(() => context.close());
  context.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) problems.push(`asked ${request.url()}`);
  });
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  context.on("weberror", (error) => problems.push(String(error.error())));
  context.on("dialog", (dialog) => {
    problems.push(`a dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  return context;
}

/** Starts a command that prints an address and stays; it ends with the test. */
export async function startCommand(values: string[], environment: Record<string, string> = {}): Promise<string> {
  return (await startServer(values, environment)).link;
}

async function startServer(
  values: string[],
  environment: Record<string, string> = {},
): Promise<{ link: string; stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [CLI, ...values], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DISPLAY: "", WAYLAND_DISPLAY: "", ...environment },
  });
  let said = "";
  child.stderr?.on("data", (chunk) => (said += String(chunk)));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  onTestFinished(stop);
  return new Promise((found, fail) => {
    child.stdout?.on("data", (chunk) => found({ link: String(chunk).trim().split("\n")[0] ?? "", stop }));
    child.once("exit", (code) => fail(new Error(`ended with ${code}: ${said}`)));
  });
}

/** Runs a command of the shipped command line in a process of its own. */
export async function runCommand(...values: string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...values], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${values.join(" ")} ended with ${code}: ${output}`);
  return output;
}

/** Waits until a view shows what it has to show: it is drawn, and nothing is still being fetched. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Not as a function that the page waits for itself: its policy refuses what is evaluated.
  const isDone = () =>
    page.evaluate(`document.querySelector(".view > :nth-child(2)") !== null &&
     ![...document.querySelectorAll("p.note")].some(({ textContent }) => /^(Reading|Looking it up|Drawing|Measuring|Searching|Counting)…/.test(textContent))`);
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
  // Drawn, and drawn once more with the heights that were measured.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** How many changes the review says are waiting. */
export async function countWaiting(page: Page): Promise<number> {
  const words = page.getByText(/^\d+ changes? waiting for you/).first();
  await words.waitFor();
  return Number.parseInt((await words.textContent()) ?? "", 10);
}
