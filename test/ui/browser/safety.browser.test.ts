import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordChange } from "../../../src/change/commit.ts";
import { openMemory } from "../../../src/index.ts";
import { newContext, newWorkspace, settle, showPage, startCommand, useBrowser } from "./open-page.ts";

useBrowser();

/** What has broken pages before: each would call the page's window.broken, or ask a server elsewhere. */
const ATTEMPTS = [
  `<script>window.broken=1</script>`,
  `<img src=x onerror="window.broken=1">`,
  `<img src="https://evil.example/pixel.png">`,
  `![](https://evil.example/pixel.png)`,
  `[click me](javascript:window.broken=1)`,
  `[click me](java\nscript:window.broken=1)`,
  `[a](data:text/html;base64,PHNjcmlwdD53aW5kb3cuYnJva2VuPTE8L3NjcmlwdD4=)`,
  `<svg onload="window.broken=1"><animate onbegin="window.broken=1" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.broken=1</script>"></iframe>`,
  `<a href="javascript:window.broken=1">x</a>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=window.broken=1>`,
  `<style>@import url(https://evil.example/a.css); * { display: none }</style>`,
  `<div style="background:url(https://evil.example/b.png)">x</div>`,
  `<form action="https://evil.example"><button>Sign in</button></form>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<link rel=stylesheet href=https://evil.example/c.css>`,
  `"><details open ontoggle=window.broken=1>`,
  `<noscript><p title="</noscript><img src=x onerror=window.broken=1>">`,
  `<template shadowrootmode=open><script>window.broken=1</script></template>`,
  `{{constructor.constructor('window.broken=1')()}}`,
  "`${window.broken=1}`",
  `</textarea><script>window.broken=1</script>`,
  `--><script>window.broken=1</script>`,
];

/** A workspace in which everything that a stranger can name is an attempt. */
async function poisoned(): Promise<string> {
  const workspace = await newWorkspace("empty");
  const memory = await openMemory({ workspace });
  const line = (text: string) => text.replaceAll("\n", " ");
  const session = await memory.session(`web:<img src=x onerror="window.broken=1">`);
  for (const [index, attempt] of ATTEMPTS.entries()) {
    await session.appendAll([
      { role: "user", content: attempt, name: attempt },
      { role: "assistant", content: attempt },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `c${index}`,
            type: "function",
            function: { name: line(attempt), arguments: JSON.stringify({ attempt }) },
          },
        ],
      },
      { role: "tool", tool_call_id: `c${index}`, name: line(attempt), content: attempt },
      { role: "user", content: `[image: sessions/files/x" onerror="window.broken=1.png]` },
    ]);
  }
  const facts = ATTEMPTS.map((attempt) => `- ${line(attempt)}`).join("\n");
  await memory.replaceMemory(`# Memory\n\n## <img src=x onerror=window.broken=1>\n\n${facts}\n`);
  await memory.replaceMemory(`# Memory\n\n## <img src=x onerror=window.broken=1>\n\n${facts}\n- One more\n`);
  for (const attempt of ATTEMPTS) await memory.appendHistory(`[2026-11-01 10:00] ${line(attempt)}`);
  await recordChange(memory.opened, {
    id: "poisoned",
    scope: "",
    author: "model",
    by: ATTEMPTS[0] ?? "",
    cause: "digest",
    trigger: ATTEMPTS[1] ?? "",
    stretch: { session: session.key, identity: "", from: 0, to: 2 },
    outcome: "refused",
    reason: ATTEMPTS[2] ?? "",
    usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
    answer: {
      text: ATTEMPTS.join("\n"),
      calls: ATTEMPTS.map((attempt) => ({ name: line(attempt), input: JSON.stringify({ [attempt]: attempt }) })),
    },
  });
  const waiting = ATTEMPTS.map((attempt) => ({ text: line(attempt), heading: line(attempt), message: "m1" }));
  await memory.propose(session.key, waiting, { change: "proposed", from: ATTEMPTS[0] ?? "" });
  await memory.close();
  await writeFile(join(workspace, "memory", `2026-11-01-<img src=x onerror=broken=1>.md`), ATTEMPTS.join("\n\n"));
  await mkdir(join(workspace, "docs", "p"), { recursive: true });
  await writeFile(join(workspace, "docs", "p", `"><img src=x onerror=window.broken=1>.md`), ATTEMPTS.join("\n\n"));
  return workspace;
}

describe("the watch over the page", () => {
  it("notes an error, a dialog and a request to elsewhere, so that their absence means something", async () => {
    const shown = await showPage(await newWorkspace("empty"));
    await settle(shown.page);
    expect(shown.problems).toEqual([]);
    await shown.page.evaluate("void console.error('an error of the page')");
    await shown.page.evaluate("void setTimeout(() => { throw new Error('thrown by the page') })");
    await shown.page.evaluate("void fetch('https://evil.example/').catch(() => undefined)");
    await shown.page.evaluate("void setTimeout(() => alert('a dialog'))");
    await expect.poll(() => shown.problems.join("\n")).toMatch(/a dialog/);
    await expect.poll(() => shown.problems.join("\n")).toMatch(/thrown by the page/);
    const told = shown.problems.join("\n");
    expect(told).toContain("an error of the page");
    // The policy stops the request before it leaves, and the browser says so.
    expect(told).toMatch(/evil\.example/);
  });
});

describe("everything on the page is data", () => {
  it("runs nothing and asks nobody, whatever stands in facts, names, notes, file names and tool results", async () => {
    const shown = await showPage(await poisoned());
    const key = encodeURIComponent(`web:<img src=x onerror="window.broken=1">`);
    const note = encodeURIComponent(`2026-11-01-<img src=x onerror=broken=1>.md`);
    const places = [
      "#/memory",
      "#/memory?file=HISTORY.md",
      `#/memory?file=${note}`,
      "#/timeline",
      "#/talk",
      `#/talk?session=${key}`,
      "#/search?q=script+broken",
      "#/search?q=img+onerror&project=p",
      "#/health",
      "#/review",
      "#/forget",
      `#/<img src=x onerror=window.broken=1>`,
      `#/memory?fact=${encodeURIComponent(ATTEMPTS[1] ?? "")}`,
      `#/talk?session=${encodeURIComponent(`"><img src=x onerror=window.broken=1>`)}`,
    ];
    expect(await shown.page.evaluate("document.readyState"), "the page runs scripts of its own").toBe("complete");
    for (const place of places) {
      const page = await shown.open(place);
      await page.reload();
      await settle(page);
      // Everything that is folded is opened, those that this brings as well.
      const folds = `.fact-head:not([aria-expanded=true]), .change-head:not([aria-expanded=true]), details:not([open]) > summary`;
      for (const _ of [1, 2]) {
        await page.evaluate(`document.querySelectorAll(${JSON.stringify(folds)}).forEach((each) => each.click())`);
        await settle(page);
      }
      expect(await page.evaluate("window.broken"), place).toBe(undefined);
      const dangerous =
        "iframe, object, embed, form[action], base, meta[http-equiv], style, #page link, img[src^='http:'], img[src^='https:'], a[href^='javascript'], a[href^='data'], [onerror], [onload], [style*='url']";
      expect(await page.locator(dangerous).count(), place).toBe(0);
    }
    // The picture that is none is asked of our own server, which has no such file.
    expect(shown.problems.filter((problem) => !/status of 40[034]/.test(problem))).toEqual([]);
  });

  it("shows hidden and steering characters instead of obeying them", async () => {
    const workspace = await newWorkspace("empty");
    await mkdir(join(workspace, "memory"), { recursive: true });
    const fact = "Pay \u202Exe.fdp\u202C to a\u200Bnn\u00ADa \u{E0041}\u{E0042} \u0007 می\u200Cخواهم 👩\u200D🔬";
    await writeFile(join(workspace, "memory", "MEMORY.md"), `# Memory\n\n- ${fact}\n`);
    const shown = await showPage(workspace);
    const words = await shown.page.locator(".fact .words").textContent();
    expect(words).toBe(
      "Pay \\u{202e}xe.fdp\\u{202c} to a\\u{200b}nn\\u{ad}a \\u{e0041}\\u{e0042} \\u{7} می\u200Cخواهم 👩\u200D🔬",
    );
  });
});

describe("who may see and change", () => {
  it("lets a browser in once by its link, by a cookie that no script can read", async () => {
    const shown = await showPage(await newWorkspace());
    const [cookie] = await shown.context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(shown.link).not.toContain(cookie?.value ?? "-");
    expect(await shown.page.evaluate("document.cookie")).toBe("");
    expect(shown.page.url()).not.toContain("enter");
    // The same link in another browser: it was used.
    const stranger = await newContext(shown.url, []);
    const page = await stranger.newPage();
    await page.goto(shown.link);
    await page.getByText("This memory is locked").waitFor();
    expect(await stranger.cookies()).toEqual([]);
    await page.getByLabel("Token").fill("a guess");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("This is not the server's token").waitFor();
    for (const path of ["/api/page", "/api/facts", "/api/talk", "/api/events", "/api/pictures?path=x.png"]) {
      expect((await page.request.get(`${shown.url}${path}`)).status(), path).toBe(401);
    }
  });

  it("takes the server's token where one was set", async () => {
    const workspace = await newWorkspace();
    const problems: string[] = [];
    const url = await startCommand(["serve", "--port", "0", "-w", workspace], {
      TIDEMARK_TOKEN: "correct horse battery",
    });
    const context = await newContext(url, problems);
    const page = await context.newPage();
    await page.goto(`${url}/#/timeline`);
    await page.getByLabel("Token").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByText("Gulbenkian").waitFor();
    await page.reload();
    await page.getByText("Gulbenkian").waitFor();
    const [cookie] = await context.cookies();
    expect(cookie?.value).not.toContain("horse");
  });

  it("refuses changes without the cookie, from other pages, and with the cookie of other pages", async () => {
    const shown = await showPage(await newWorkspace(), { command: ["serve", "--port", "0"] });
    const before = await shown.memory();
    const [cookie] = await shown.context.cookies();
    const pair = `${cookie?.name}=${cookie?.value}`;
    const attempt = (headers: Record<string, string>) =>
      fetch(`${shown.url}/api/facts`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ fact: "The moon is cheese" }),
      }).then(({ status }) => status);
    expect(await attempt({})).toBe(401);
    expect(await attempt({ cookie: `${cookie?.name}=wrong` })).toBe(401);
    expect(await attempt({ cookie: pair, origin: "https://evil.example" })).toBe(403);
    expect(await attempt({ cookie: pair, origin: "http://localhost:5173" })).toBe(401);
    expect(await attempt({ cookie: pair, "sec-fetch-site": "same-site" })).toBe(401);
    const { status } = await fetch(`${shown.url}/api/forget`, {
      method: "POST",
      headers: { cookie: pair, "content-type": "application/json" },
      body: JSON.stringify({ text: "Ana Reis" }),
    });
    expect(status).toBe(400);
    expect(await shown.memory()).toBe(before);
    expect(await attempt({ cookie: pair, origin: shown.url })).toBe(200);
    expect(await shown.memory()).toContain("moon is cheese");
  });

  it("only looks in read-only mode", async () => {
    const shown = await showPage(await newWorkspace(), { command: ["ui", "--no-open", "--read-only"] });
    const before = await shown.memory();
    await shown.page.getByText("Read-only").waitFor();
    await shown.page.getByRole("button", { name: /Ana prefers trains/ }).click();
    await shown.page.locator(".fact-body").waitFor();
    for (const view of ["memory", "timeline", "review", "forget"]) {
      await shown.open(`#/${view}`);
      await settle(shown.page);
      const names = "Add a fact|Edit|Retire|Accept|Reject|Undo this change|Restore|Forget for good";
      expect(await shown.page.getByRole("button", { name: new RegExp(`^(?:${names})$`) }).count(), view).toBe(0);
    }
    const attempts: [string, string, object][] = [
      ["POST", "/api/facts", { fact: "x y z" }],
      ["PUT", "/api/facts", { fact: "x", words: "y" }],
      ["DELETE", "/api/facts", { fact: "Ana prefers trains to planes" }],
      ["POST", "/api/undo", { id: "abcdef0123" }],
      ["POST", "/api/states/abcdef0123/restore", {}],
      ["POST", "/api/forget", { text: "Ana Reis", confirm: "forget" }],
      ["PUT", "/api/memory", { text: "" }],
      ["POST", "/api/memory/undo", {}],
      ["POST", "/api/sessions/telegram%3Aana/messages", { messages: [{ role: "user", content: "x" }] }],
    ];
    for (const [method, path, data] of attempts) {
      const answer = await shown.page.request.fetch(`${shown.url}${path}`, { method, data });
      expect([answer.status(), await answer.text()], path).toEqual([403, expect.stringContaining("read_only")]);
    }
    expect(await shown.memory()).toBe(before);
    await shown.open("#/forget");
    await shown.page.getByLabel(/contains them/).fill("Teresa");
    await shown.page.getByRole("button", { name: "Show what would go" }).click();
    await shown.page.locator(".find").first().waitFor();
  });

  it("is served under a policy that allows nothing inline and nothing from elsewhere", async () => {
    const shown = await showPage(await newWorkspace("empty"));
    const response = await shown.page.goto(shown.url);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("frame-ancestors 'none'");
    await shown.page
      .evaluate(
        "document.body.insertAdjacentElement('beforeend', Object.assign(document.createElement('script'), { text: 'window.inline = 1' }))",
      )
      .catch(() => undefined);
    expect(await shown.page.evaluate("window.inline")).toBe(undefined);
    expect(response?.headers()["x-content-type-options"]).toBe("nosniff");
  });
});
