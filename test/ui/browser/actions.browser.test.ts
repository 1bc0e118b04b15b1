import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { countWaiting, newWorkspace, showPage, useBrowser } from "./open-page.ts";

useBrowser();

/** Takes back what the newest toast (with these words) speaks of. */
async function undo(page: Page, name = "Undo", words = ""): Promise<void> {
  await page.locator(".toast", { hasText: words }).last().getByRole("button", { name, exact: true }).click();
}

describe("what can be done, and taken back", () => {
  it("adds a fact by hand", async () => {
    const shown = await showPage(await newWorkspace());
    const before = await shown.memory();
    await shown.page.getByRole("button", { name: "Add a fact" }).click();
    await shown.page.getByLabel("The fact").fill("Ana keeps bees on the roof");
    await shown.page.getByLabel(/Under which heading/).fill("Preferences");
    await shown.page.getByRole("button", { name: "Add", exact: true }).click();
    await shown.page.locator(".fact", { hasText: "keeps bees" }).getByText("by you").waitFor();
    expect(await shown.memory()).toMatch(/## Preferences\n\n(?:- .*\n)*- Ana keeps bees on the roof\n/);
    await undo(shown.page);
    await expect.poll(() => shown.memory()).toBe(before);
    await undo(shown.page, "Redo");
    await expect.poll(() => shown.memory()).toContain("keeps bees");
    expect(shown.problems).toEqual([]);
  });

  it("says a fact in other words, and leaves every other byte alone", async () => {
    const shown = await showPage(await newWorkspace());
    const before = await shown.memory();
    await shown.page.getByRole("button", { name: /waders are size 38/ }).click();
    await shown.page.getByRole("button", { name: "Edit", exact: true }).click();
    await shown.page.getByLabel("The fact in other words").fill("Ana's waders are size 39");
    await shown.page.keyboard.press("Control+Enter");
    await shown.page.getByText("Reworded.").waitFor();
    expect(await shown.memory()).toBe(before.replace("size 38", "size 39"));
    await undo(shown.page);
    await expect.poll(() => shown.memory()).toBe(before);
    expect(shown.problems).toEqual([]);
  });

  it("leaves a fact as it is when the edit is given up", async () => {
    const shown = await showPage(await newWorkspace());
    const before = await shown.memory();
    await shown.page.getByRole("button", { name: /waders are size 38/ }).click();
    await shown.page.getByRole("button", { name: "Edit", exact: true }).click();
    await shown.page.getByLabel("The fact in other words").fill("something else");
    await shown.page.keyboard.press("Escape");
    await shown.page.getByRole("button", { name: /waders are size 38/ }).waitFor();
    expect(await shown.memory()).toBe(before);
  });

  it("retires a fact; what was said stays", async () => {
    const shown = await showPage(await newWorkspace());
    const before = await shown.memory();
    await shown.page.getByRole("button", { name: /Teresa é alérgica/ }).click();
    await shown.page.getByRole("button", { name: "Retire" }).click();
    await shown.page.getByText("Retired. What was said stays.").waitFor();
    expect(await shown.memory()).not.toContain("Teresa é alérgica");
    const log = await readFile(join(shown.workspace, "sessions/telegram_ana.jsonl"), "utf8");
    expect(log).toContain("alérgica a avelãs");
    await undo(shown.page);
    await expect.poll(() => shown.memory()).toBe(before);
  });

  it("brings back an earlier state, byte for byte, and takes that back", async () => {
    const shown = await showPage(await newWorkspace());
    const before = await shown.memory();
    const slider = shown.page.getByRole("slider", { name: "Moment" });
    await slider.focus();
    await shown.page.keyboard.press("Home");
    await shown.page.getByRole("button", { name: "Restore this state" }).click();
    await shown.page.getByText(/Memory is as it was/).waitFor();
    expect((await shown.memory()).match(/^- /gm)).toHaveLength(5);
    await undo(shown.page);
    await expect.poll(() => shown.memory()).toBe(before);
  });

  it("undoes a digest from the timeline, and says where a fact was changed since", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/timeline" });
    const run = shown.page.locator(".change", { hasText: "Biscoito's vet" });
    await run.locator(".change-head").click();
    await run.locator(".diff .plus", { hasText: "vet is Dr. Sousa" }).waitFor();
    await run.getByText("Biscoito's vet is Dr. Sousa in Alcântara, Tuesdays only", { exact: true }).first().waitFor();
    await run.getByText("What it wrote down").waitFor();
    await run.locator(".entry", { hasText: "Ana no longer orders cake" }).waitFor();
    // What the model proposed, in its own words, is a click away.
    await run.getByText(/^What .* answered$/).click();
    await run.locator(".answer pre", { hasText: "Biscoito's vet is Dr. Sousa" }).first().waitFor();
    await run.getByRole("button", { name: "Undo this change" }).click();
    await shown.page.getByText(/^Undone: 1 out/).waitFor();
    expect(await shown.memory()).not.toContain("Biscoito's vet is Dr. Sousa");
    await undo(shown.page, "Redo");
    await expect.poll(() => shown.memory()).toContain("Biscoito's vet is Dr. Sousa");
    // The first digest's "lives in Porto" was reworded by a later one.
    const first = shown.page.locator(".change.digest").last();
    await first.locator(".change-head").click();
    await first.getByRole("button", { name: "Undo this change" }).click();
    await shown.page.getByText(/Not undone: .*(?:now says|has changed since)/).waitFor();
    await undo(shown.page, "Undo the rest");
    await expect.poll(() => shown.memory()).not.toContain("Ana prefers trains");
    expect(await shown.memory()).toContain("Ana Reis lives in Lisbon");
  });

  it("accepts, edits and rejects what waits, with the evidence beside it", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/review" });
    const before = await shown.memory();
    const card = (words: string) => shown.page.locator(".waiting", { hasText: words });
    await card("sailing in spring").first().waitFor();
    const waiting = await countWaiting(shown.page);
    await card("sailing in spring").getByText("was not sure of it").first().waitFor();
    await card("Edmundo Valadares").getByText("from outside").first().waitFor();

    await card("sailing in spring").getByRole("button", { name: "Accept" }).click();
    await shown.page.getByText("Accepted.").waitFor();
    expect(await shown.memory()).toContain("- Ana will take up sailing in spring");
    await undo(shown.page);
    await expect.poll(() => shown.memory()).toBe(before);

    await card("harbour master").getByRole("button", { name: "Edit" }).click();
    await shown.page
      .getByLabel("The fact as it should be said")
      .fill("The harbour master is Henrique Lobo, says the web");
    await shown.page.getByRole("button", { name: "Accept in these words" }).click();
    await expect.poll(() => shown.memory()).toContain("- The harbour master is Henrique Lobo, says the web");

    await card("sends his location").getByRole("button", { name: "Reject" }).click();
    await expect.poll(() => card("sends his location").count()).toBe(0);
    await undo(shown.page, "Undo", "Rejected.");
    await card("sends his location").waitFor();
    await card("sends his location").getByRole("button", { name: "Reject" }).click();
    await shown.page.getByText("Rejected.").last().waitFor();
    await shown.page.getByText(`${waiting - 2} changes waiting for you`).waitFor();
    await shown.page.getByRole("link", { name: "Timeline" }).click();
    // A rejection is on record, and can be taken back from there as well, also much later.
    const rejection = shown.page.locator(".change", { hasText: "1 of its changes rejected" }).first();
    await rejection.locator(".change-head").click();
    await rejection.getByRole("button", { name: "Return it to the review" }).click();
    await shown.page
      .getByText(/Back in the review:.*location/)
      .last()
      .waitFor();
    await shown.page.getByRole("link", { name: /Review/ }).click();
    await shown.page.getByText(`${waiting - 1} changes waiting for you`).waitFor();
    expect(await shown.memory()).not.toContain("location");
    expect(shown.problems).toEqual([]);
  });

  it("shows everything that forgetting would take, wants a typed word, and gives a receipt", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/forget" });
    await shown.page.getByRole("radio", { name: "A person" }).check();
    await shown.page.getByLabel("everything that names them").fill("Teresa");
    await shown.page.getByRole("button", { name: "Show what would go" }).click();
    await shown.page.locator(".find", { hasText: "Teresa é alérgica a avelãs" }).first().waitFor();
    const button = shown.page.getByRole("button", { name: "Forget for good" });
    expect(await button.isDisabled()).toBe(true);
    expect(await shown.memory()).toContain("Teresa");
    await shown.page.getByLabel(/to confirm/).fill("forget");
    await button.click();
    await shown.page.getByText("Nothing of it is left.").waitFor();
    expect(await shown.memory()).not.toContain("Teresa");
    const log = await readFile(join(shown.workspace, "sessions/telegram_ana.jsonl"), "utf8");
    expect(log).not.toContain("Teresa");
    expect(await shown.page.locator(".receipt").textContent()).not.toContain("Teresa");
    await shown.open("#/timeline");
    await shown.page.locator(".change.forget").waitFor();
    expect(shown.problems).toEqual([]);
  });

  it("lets the doctor look", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/health" });
    await shown.page.getByRole("button", { name: "Examine" }).click();
    await shown.page.getByText("no model is configured").waitFor();
    await shown.page.locator(".chart canvas").waitFor();
    await shown.page.getByText("lost without a reason").waitFor();
    expect(shown.problems).toEqual([]);
  });
});

describe("by keyboard alone", () => {
  it("decides the review", async () => {
    const shown = await showPage(await newWorkspace(), { hash: "#/review" });
    await shown.page.locator(".waiting").first().waitFor();
    const waiting = await countWaiting(shown.page);
    await shown.page.keyboard.press("Tab");
    await shown.page.keyboard.press("Enter");
    // From the content on, the first stop is the first card.
    await shown.page.keyboard.press("Tab");
    expect(await focused(shown.page)).toContain("Jonas Weber vom AWI");
    await shown.page.keyboard.press("ArrowDown");
    expect(await focused(shown.page)).toContain("ferry to São Jacinto");
    await shown.page.keyboard.press("a");
    await expect.poll(() => shown.memory()).toContain("The ferry to São Jacinto costs 4.70 euros");
    await expect.poll(() => focused(shown.page)).toContain("Edmundo Valadares");
    await shown.page.keyboard.press("e");
    await shown.page.keyboard.type(" (guide)");
    await shown.page.keyboard.press("Control+Enter");
    await expect.poll(() => shown.memory()).toContain("Edmundo Valadares (guide)");
    await expect.poll(() => focused(shown.page)).not.toContain("Edmundo Valadares");
    await shown.page.keyboard.press("r");
    await expect.poll(() => shown.page.locator(".waiting").count()).toBe(waiting - 3);
    expect(shown.problems).toEqual([]);
  });

  it("reaches every view, opens a fact, edits it, and always shows where it stands", async () => {
    const shown = await showPage(await newWorkspace());
    await shown.page.getByRole("button", { name: /Ana prefers trains/ }).waitFor();
    const reach = async (words: RegExp): Promise<void> => {
      for (let step = 0; step < 80; step++) {
        await shown.page.keyboard.press("Tab");
        if (words.test(await focused(shown.page))) return;
      }
      throw new Error(`${String(words)} cannot be reached`);
    };
    await reach(/^Ana prefers trains/);
    const outline = await shown.page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline).toBe("solid");
    await shown.page.keyboard.press("Enter");
    await reach(/^Edit$/);
    await shown.page.keyboard.press("Enter");
    await shown.page.keyboard.type(" and boats");
    await shown.page.keyboard.press("Control+Enter");
    await expect.poll(() => shown.memory()).toContain("Ana prefers trains to planes and boats");
    await shown.open("#/timeline");
    await shown.page.locator(".day").first().waitFor();
    for (const view of ["Memory", "Talk", "Search", "Health", "Forget"]) {
      await shown.page.getByRole("link", { name: view, exact: true }).focus();
      await shown.page.keyboard.press("Enter");
      await shown.page.getByRole("heading", { level: 1, name: view }).waitFor();
    }
  });
});

/** The words of what has the focus. */
async function focused(page: Page): Promise<string> {
  if ((await page.evaluate("document.activeElement === document.body")) === true) return "nothing";
  const label = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent";
  return String(await page.evaluate(`(${label}).trim()`));
}
