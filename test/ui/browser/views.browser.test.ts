import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { newWorkspace, settle, showPage, useBrowser } from "./open-page.ts";

useBrowser();

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Shows {
  name: string;
  hash: string;
  /** What must be seen before the view counts as there. */
  sees: string;
  /** Opens what is folded, one after the other, so that it is looked at, too. */
  unfold?: readonly string[];
  prepare?: (page: Page) => Promise<void>;
}

const VIEWS: readonly Shows[] = [
  { name: "memory", hash: "#/memory", sees: "Ana prefers trains to planes", unfold: [".fact-head"] },
  { name: "an edit", hash: "#/memory", sees: "Ana prefers trains", unfold: [".fact-head", ".fact-body button"] },
  { name: "a new fact", hash: "#/memory", sees: "Ana prefers trains", unfold: ["button.primary"] },
  { name: "the past", hash: "#/memory", sees: "Ana prefers trains", prepare: goBack },
  { name: "diary", hash: "#/memory?file=HISTORY.md", sees: "introduced herself" },
  { name: "timeline", hash: "#/timeline", sees: "Gulbenkian", prepare: openAnswer },
  { name: "review", hash: "#/review", sees: "Edmundo Valadares" },
  { name: "talk", hash: "#/talk", sees: "telegram:ana" },
  { name: "transcript", hash: "#/talk?session=telegram%3Aana", sees: "The tide mark", unfold: [".call summary"] },
  { name: "search", hash: "#/search?q=Where+does+Ana+live", sees: "by words and meaning", unfold: [".parts summary"] },
  {
    name: "two settings",
    hash: "#/search?q=Where+does+Ana+live",
    sees: "by words and meaning",
    unfold: [".filters summary", "input[type=checkbox]"],
  },
  { name: "health", hash: "#/health", sees: "What became of every fact" },
  { name: "forget", hash: "#/forget", sees: "It cannot be undone" },
  { name: "what would go", hash: "#/forget", sees: "It cannot be undone", prepare: askToForget },
];

async function openAnswer(page: Page): Promise<void> {
  const run = page.locator(".change", { hasText: "Biscoito's vet" });
  await run.locator(".change-head").click();
  await run.locator(".answer summary").click();
}

async function goBack(page: Page): Promise<void> {
  await page.getByRole("slider", { name: "Moment" }).fill("3");
  await page.getByRole("button", { name: "What has changed since" }).click();
  await page.locator(".diff").waitFor();
}

async function askToForget(page: Page): Promise<void> {
  await page.getByLabel(/contains them/).fill("Teresa");
  await page.getByRole("button", { name: "Show what would go" }).click();
  await page.locator(".find").first().waitFor();
}

/** What axe finds; each finding with the place where it stands. */
async function audit(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
}

/** A computed style of the first element that has these words. */
function styleOf(page: Page, selector: string, words: string, property: string): Promise<unknown> {
  const find = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.textContent.includes(${JSON.stringify(words)}))`;
  return page.evaluate(`getComputedStyle(${find})[${JSON.stringify(property)}]`);
}

describe("every view", () => {
  it.each(["light", "dark"] as const)("is free of what axe finds, in %s, wide and narrow", async (colorScheme) => {
    const shown = await showPage(await newWorkspace());
    for (const { name, hash, sees, unfold = [], prepare } of VIEWS) {
      for (const width of [1400, 390]) {
        const page = await shown.context.newPage();
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 850 });
        await page.goto(`${shown.url}/${hash}`);
        await page.getByText(sees).first().waitFor({ state: "attached" });
        for (const selector of unfold) await page.locator(selector).first().click();
        await prepare?.(page);
        await settle(page);
        expect(await audit(page), `${name} at ${width} px`).toEqual([]);
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
        await page.close();
      }
    }
    expect(shown.problems).toEqual([]);
  });

  it("would be told of what axe finds", async () => {
    const shown = await showPage(await newWorkspace("empty"));
    await settle(shown.page);
    await shown.page.evaluate("document.querySelector('main').append(document.createElement('input'))");
    expect((await audit(shown.page)).join()).toContain("label");
  });

  it("has a word to say where there is nothing to show", async () => {
    const shown = await showPage(await newWorkspace("empty"));
    const words: Record<string, string> = {
      memory: "No facts yet",
      "memory?file=HISTORY.md": "The diary is empty",
      timeline: "Nothing has happened yet",
      review: "Nothing is waiting",
      talk: "No conversations yet",
      search: "Ask in your own words",
      "search?q=whales": "Nothing on record mentions this",
      health: "No facts yet",
    };
    for (const [view, said] of Object.entries(words)) {
      const page = await shown.open(`#/${view}`);
      await page.getByText(said).first().waitFor();
      expect(await audit(page), view).toEqual([]);
    }
    // A diary that is not there is asked for, and the browser notes its 404.
    expect(shown.problems.filter((problem) => !problem.includes("404"))).toEqual([]);
  });

  it("keeps still for those who want less motion, and reads right to left where the words do", async () => {
    const shown = await showPage(await newWorkspace(), { browser: { reducedMotion: "reduce" } });
    const fact = shown.page.locator(".fact .words", { hasText: "يوسف يحب" });
    await fact.waitFor();
    expect(await styleOf(shown.page, ".fact .words", "يوسف يحب", "direction")).toBe("rtl");
    expect(await styleOf(shown.page, "button", "", "transitionDuration")).toBe("0s");
    expect(await styleOf(shown.page, ".fact .words", "Ana prefers", "direction")).toBe("ltr");
  });

  it("tells days in the reader's language and zone", async () => {
    const shown = await showPage(await newWorkspace(), {
      browser: { locale: "pt-PT", timezoneId: "Pacific/Auckland" },
      hash: "#/timeline",
    });
    await shown.page.locator(".day h2").first().waitFor();
    const heads = await shown.page.locator(".day h2").allTextContents();
    expect(
      heads.every((head) => / de /.test(head)),
      heads.join("; "),
    ).toBe(true);
  });
});

describe("the memory through time", () => {
  it("shows what was believed at a moment, and what has changed since", async () => {
    const shown = await showPage(await newWorkspace());
    const slider = shown.page.getByRole("slider", { name: "Moment" });
    await slider.waitFor();
    await shown.page.getByText("Ana Reis lives in Lisbon").first().waitFor();
    await slider.focus();
    await shown.page.keyboard.press("Home");
    await shown.page.getByText("Ana Reis lives in Porto").first().waitFor();
    expect(await shown.page.locator(".past-fact").count()).toBe(5);
    await shown.page.getByRole("button", { name: "What has changed since" }).click();
    await shown.page.locator(".diff .minus", { hasText: "lives in Porto" }).waitFor();
    await shown.page.locator(".diff .plus", { hasText: "Gulbenkian" }).waitFor();
    // Up to an earlier moment the later changes are not there.
    const until = shown.page.getByRole("slider", { name: /Up to/ });
    await until.focus();
    await shown.page.keyboard.press("Home");
    await shown.page.getByText("No differences").waitFor();
    await shown.page.getByRole("button", { name: "Back to now" }).click();
    await shown.page.getByText("Ana Reis lives in Lisbon").first().waitFor();
    expect(shown.problems).toEqual([]);
  });

  it("tells each fact's source and history, and leads to the words", async () => {
    const shown = await showPage(await newWorkspace());
    await shown.page.getByRole("button", { name: /Ana Reis lives in Lisbon/ }).click();
    const body = shown.page.locator(".fact-body");
    await body.getByText("quote found in the message").waitFor();
    expect(await body.locator("mark").textContent()).toContain("I have just moved to Lisbon");
    expect(await body.locator(".history li").count()).toBe(3);
    await body.getByRole("link", { name: /telegram:ana/ }).click();
    await shown.page.locator(".message.wanted", { hasText: "I have just moved to Lisbon" }).waitFor();
    await shown.page.locator(".message.wanted .became", { hasText: "Ana Reis lives in Lisbon" }).waitFor();
  });
});

describe("talk", () => {
  it("draws the tide mark where it stands, folds calls, shows pictures, and names what a message became", async () => {
    // Looking only: a server without a model digests what is left of a silent session by itself.
    const command = ["ui", "--no-open", "--read-only"];
    const shown = await showPage(await newWorkspace(), { command, hash: "#/talk?session=telegram%3Aana" });
    await shown.page.locator(".tide-mark", { hasText: "3 messages below are not yet" }).waitFor();
    expect(await shown.page.locator(".tide-mark ~ *, li:has(.tide-mark) ~ li .message.digested").count()).toBe(0);
    const call = shown.page.locator(".call", { hasText: "web_fetch" });
    expect(await call.getByText("survey guide").isVisible()).toBe(false);
    await call.locator("summary").click();
    await call.getByText("survey guide").waitFor();
    await shown.open("#/talk?session=cli%3Afield-notes");
    const picture = shown.page.locator(".bubble img");
    await picture.waitFor();
    await expect.poll(() => shown.page.evaluate("document.querySelector('.bubble img').naturalWidth")).toBe(240);
    await shown.open("#/talk");
    await shown.page.getByRole("searchbox").fill("dolphins tour pier");
    await shown.page.getByRole("region", { name: "What was said" }).getByRole("link").first().waitFor();
    expect(shown.problems).toEqual([]);
  });
});

describe("search", () => {
  it("says what each part contributed, filters, and compares two settings", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/search?q=calibration+of+the+probe" });
    await shown.page.locator(".parts summary").first().click();
    await shown.page
      .locator(".parts dl")
      .first()
      .getByText(/by meaning: .* weight/)
      .waitFor();
    await shown.page.getByRole("checkbox", { name: "Compare with other settings" }).check();
    await shown.page.getByRole("region", { name: "Meaning 50 %, words 50 %" }).locator(".hit").first().waitFor();
    const weight = shown.page.getByRole("slider", { name: "Meaning against words" });
    await weight.fill("0");
    await shown.page.getByRole("region", { name: "Meaning 0 %, words 100 %" }).getByText("by words only").waitFor();
    await shown.open("#/search?q=waves&origin=outside");
    await shown.page.locator(".hit .tag", { hasText: "from outside" }).first().waitFor();
    expect(await shown.page.locator(".hit:not(:has(.tag.warn))").count()).toBe(0);
    await shown.open("#/search?q=Ana&session=signal%3Ajonas");
    await shown.page.locator(".hit").first().waitFor();
    const places = await shown.page.locator(".hit .meta a").allTextContents();
    expect(new Set(places)).toEqual(new Set(["signal:jonas"]));
    await shown.open("#/search?q=Ana&since=not-a-day");
    await shown.page
      .getByText(/is not a date for since/)
      .first()
      .waitFor();
  });
});

describe("a large memory", () => {
  it("draws only what is near the window, finds any fact, and scrolls to the last", async () => {
    const workspace = await newWorkspace("empty");
    await mkdir(join(workspace, "memory"), { recursive: true });
    const facts = Array.from(
      { length: 20_000 },
      (_, index) => `- Crate ${index} holds ${(index * 7919) % 10_007} samples`,
    );
    await writeFile(join(workspace, "memory", "MEMORY.md"), `# Memory\n\n## Store\n\n${facts.join("\n")}\n`);
    const shown = await showPage(workspace);
    await shown.page.locator(".fact", { hasText: "Crate 0 holds" }).waitFor();
    expect(await shown.page.locator(".fact").count()).toBeLessThan(100);
    const item = shown.page.locator("li[aria-setsize]").first();
    expect(await item.getAttribute("aria-setsize")).toBe("20001");
    await shown.page.evaluate("document.querySelector('.scroller').scrollTop = 1e9");
    await shown.page.locator(".fact", { hasText: "Crate 19999 holds" }).waitFor();
    await shown.page.getByRole("searchbox").fill("Crate 12345 holds");
    await shown.page.getByRole("button", { name: /Crate 12345 holds/ }).click();
    await shown.page.getByText("It was written into the file by hand.").waitFor();
    expect(await shown.page.locator(".fact").count()).toBe(1);
    await shown.open(`#/memory?fact=${encodeURIComponent(`Crate 15000 holds ${(15_000 * 7919) % 10_007} samples`)}`);
    await shown.page.reload();
    await shown.page.locator(".fact.open", { hasText: "Crate 15000 holds" }).waitFor();
    expect(shown.problems).toEqual([]);
  });
});
