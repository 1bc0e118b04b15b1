import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { makeMonth } from "../demo-ui/make-month.ts";

// Makes the pictures of docs/images anew, from the made-up month: npm run screenshots. CHROMIUM names the browser.
const ROOT = resolve(import.meta.dirname, "../..");

interface Picture {
  name: string;
  hash: string;
  sees: string;
  theme?: "dark";
  width?: number;
  prepare?: (page: Page) => Promise<void>;
}

const click = (selector: string, words: string) => async (page: Page) => {
  const found = page.locator(selector, { hasText: words }).first();
  await found.click();
  await found.scrollIntoViewIfNeeded();
};

const previewForget = async (page: Page) => {
  await page.getByRole("textbox").first().fill("Teresa");
  await page.getByRole("button", { name: "Show what would go" }).click();
  await page.getByText("irmã da Ana").first().waitFor();
};

const PICTURES: readonly Picture[] = [
  { name: "memory", hash: "#/memory", sees: "Ana prefers", prepare: click(".fact-head", "Ana Reis lives in Lisbon") },
  { name: "memory-phone", hash: "#/memory", sees: "Ana prefers", width: 390 },
  { name: "timeline", hash: "#/timeline", sees: "Gulbenkian", prepare: click(".change-head", "Biscoito's vet") },
  { name: "talk", hash: "#/talk?session=telegram%3Aana", sees: "The tide mark", theme: "dark" },
  { name: "review", hash: "#/review", sees: "Edmundo Valadares" },
  {
    name: "search",
    hash: "#/search?q=Where+does+Ana+live",
    sees: "by words and meaning",
    prepare: click(".parts summary", ""),
  },
  { name: "health", hash: "#/health", sees: "What became of every fact" },
  { name: "forget", hash: "#/forget", sees: "It cannot be undone", prepare: previewForget },
];

const folder = await mkdtemp(join(tmpdir(), "tidemark-screenshots-"));
const workspace = join(folder, "ana");
await mkdir(workspace);
await makeMonth(workspace, new Date());
const command = [join(ROOT, "bin/tidemark.js"), "ui", "--no-open", "-w", workspace];
const server = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
const link = await new Promise<string>((found) => server.stdout.once("data", (chunk) => found(String(chunk).trim())));
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Lisbon" });
await (await context.newPage()).goto(link);
for (const { name, hash, sees, theme = "light", width = 1280, prepare } of PICTURES) {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width < 500 ? 800 : 820 });
  await page.goto(`${new URL(link).origin}/${hash}`);
  await page.getByText(sees).first().waitFor({ state: "attached" });
  await prepare?.(page);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(ROOT, "docs/images", `${name}.png`) });
  await page.close();
}
await browser.close();
server.kill("SIGTERM");
await rm(folder, { recursive: true, force: true });
