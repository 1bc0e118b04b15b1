import { describe, expect, it } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { chooseStore } from "../../src/choose-store.ts";
import { openMemory } from "../../src/index.ts";
import { hideAddress, readAddress } from "../../src/store/address.ts";
import { maskAddresses } from "../../src/cli/mask-addresses.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SECRET = "pa55w0rd-of-the-store";
// Nobody listens there.
const NOWHERE = `postgres://someone:${SECRET}@127.0.0.1:1/memory?connect_timeout=1`;

describe("the address of a store", () => {
  it("names a workspace, and is shown without its password", () => {
    const shown = hideAddress(`postgresql://ann:${SECRET}@db.example:6432/memory?workspace=a%20b&sslmode=require`);
    expect(shown).toBe("postgres://ann@db.example:6432/memory?workspace=a%20b");
    const { urls, workspace } = readAddress(shown);
    expect(workspace).toBe("a b");
    expect(urls).toEqual([`postgresql://ann:${SECRET}@db.example:6432/memory?sslmode=require`]);
    expect(readAddress("postgres://h/d").workspace).toBe("default");
    expect(readAddress("postgres://h/d?workspace=one", "two").workspace).toBe("two");
    expect(chooseStore({ store: "postgres://h/d", workspace: "x" }).path).toBe("postgres://h/d?workspace=x");
  });

  it("takes what it may not say from a variable, and its own options out", () => {
    process.env["STORE_SECRET"] = "with / and @";
    const address = readAddress(
      "postgres://u:{env:STORE_SECRET}@h/d?pool_size=3&connect_timeout=2&statement_timeout=500",
    );
    expect(decodeURIComponent(new URL(address.urls[0] ?? "").password)).toBe("with / and @");
    expect(address).toMatchObject({ poolSize: 3, connectMs: 2000, statementMs: 500 });
    expect(address.urls.join()).not.toContain("pool_size");
    expect(() => readAddress("postgres://u:{env:NOT_SET_AT_ALL}@h/d")).toThrow(
      "The variable NOT_SET_AT_ALL is not set",
    );
    expect(() => readAddress("postgres://h/d?pool_size=many")).toThrow(/pool_size .* whole number/);
    expect(() => readAddress("postgres://h/d?target_session_attrs=standby")).toThrow(
      /must be read-write, primary or any/,
    );
    for (const name of ["", " ", "a\nb", "x".repeat(201)])
      expect(() => readAddress(`postgres://h/d?workspace=${encodeURIComponent(name)}`)).toThrow(/name of a workspace/);
  });

  it("names several hosts, as PostgreSQL's own clients do", () => {
    const shown = hideAddress(`postgres://u:${SECRET}@a:1,b:2,[::1]:3/d?target_session_attrs=read-write&workspace=w`);
    expect(shown).toBe("postgres://u@a:1,b:2,[::1]:3/d?workspace=w");
    expect(readAddress(shown).urls).toEqual(
      ["a:1", "b:2", "[::1]:3"].map((host) => `postgres://u:${SECRET}@${host}/d`),
    );
    expect(readAddress(shown, "other").shown).toBe("postgres://u@a:1,b:2,[::1]:3/d?workspace=other");
    expect(readAddress("postgres://u@a,b/d").urls).toEqual(["postgres://u@a/d", "postgres://u@b/d"]);
    const asOptions = readAddress("postgres://u@/d?host=a,b&port=1,2&sslmode=disable");
    expect(asOptions.urls).toEqual(["postgres://u@a:1/d?sslmode=disable", "postgres://u@b:2/d?sslmode=disable"]);
    expect(readAddress("postgres:///d?host=a,b&port=7").urls).toEqual(["postgres://a:7/d", "postgres://b:7/d"]);
    expect(readAddress("postgres:///d?host=/run/postgresql").urls).toEqual(["postgres:///d?host=%2Frun%2Fpostgresql"]);
    for (const [option, meant] of [
      ["workspce", "workspace"],
      ["poolsize", "pool_size"],
      ["statment_timeout", "statement_timeout"],
    ])
      expect(() => readAddress(`postgres://h/d?${option}=x`)).toThrow(`no option "${option}". Did you mean ${meant}?`);
    for (const wrong of ["postgres://u@a:1,b:x/d", "postgres:/u:x@h/d", "postgres:u:x@h/d", "postgres://u@a:1,b c/d"])
      expect(() => readAddress(wrong)).toThrow(/address of the store is not valid/);
  });

  it("keeps a password out of a text that someone else wrote", () => {
    const text = `no such option --stroe=${NOWHERE} and postgres://h/d?sslmode=x&password=${SECRET}`;
    expect(maskAddresses(text)).not.toContain(SECRET);
    expect(maskAddresses("a folder named postgres is fine")).toBe("a folder named postgres is fine");
  });

  it.each([
    ["see redis://:secret@host now", "see redis://:…@host now"],
    ["a://b:c@d", "a://b:c@d"],
    ["http://host:80/path", "http://host:80/path"],
    ["http://a/b:c@d", "http://a/b:c@d"],
    ["x+y://u:p@h,x+y://v:q@i", "x+y://u:…@h,x+y://v:…@i"],
    [
      "postgres://h/d?password=one&sslmode=require&sslpassword=two,",
      "postgres://h/d?password=…&sslmode=require&sslpassword=…",
    ],
    ["http://h/d?password=kept", "http://h/d?password=kept"],
  ])("masks what must be masked in %s", (text, masked) => {
    expect(maskAddresses(text)).toBe(masked);
  });

  it.each(["a.", "ab://u:", "postgres://h?", "ab://", "://", "a://b:c@", "postgres://h?password=x&"])(
    "masks a text of many times %j at once",
    (part) => {
      expect(maskAddresses(part.repeat(300_000)).length).toBeGreaterThan(0);
    },
  );

  it("is never repeated with its password, whatever fails", async () => {
    const errors = await Promise.all(
      [NOWHERE, `postgres://u:${SECRET}@:bad port/d`, `postgres://u:${SECRET}@h/d?pool_size=0`].map((store) =>
        openMemory({ store }).then(
          () => "opened",
          (error: unknown) => JSON.stringify([String(error), error instanceof Error ? error.cause : ""]),
        ),
      ),
    );
    expect(errors).not.toContain("opened");
    expect(errors.join()).not.toContain(SECRET);
  });

  it("is never taken for a folder when it is mistyped", async () => {
    for (const start of [
      "postgre://",
      "postgress://",
      "postgres//",
      "postgres:/",
      "postgres:",
      "mysql://",
      "http://",
      "pg://",
    ])
      for (const where of [{ store: `${start}u:${SECRET}@h/d` }, { workspace: `${start}u:${SECRET}@h/d` }])
        expect(() => chooseStore(where), start).toThrow(/^The address of the store is not valid/);
    for (const folder of ["a/b", "./postgres://x", "C:/x", "C:\\x", "postgres", "a//b", "~/x"])
      expect(chooseStore({ workspace: folder }).source, folder).toBeUndefined();
  });

  // One process each: what is shown is what a person or a log would see.
  const FAILING: readonly (readonly string[])[] = [
    ["status"],
    ["chat", "-m", "hello", "--json"],
    ["search", "tea"],
    ["doctor", "--json"],
    ["config", "--json"],
    ["migrate"],
    ["serve", "--port", "0"],
    ["export", "/tmp/never-made"],
    ["copy", "--from", NOWHERE, "--to", "/tmp/never-made"],
    ["status", `--stroe=${NOWHERE}`],
    ["status", NOWHERE],
    ["-w", `${NOWHERE}&pool_size=none`, "status"],
    ["--store", `postgres://u:${SECRET}@h:notaport/d`, "status"],
    ["--store", `postgre://u:${SECRET}@h/d`, "chat", "-m", "hello"],
    ["-w", `mysql://u:${SECRET}@h/d`, "doctor"],
    ["connect", "claude-code", "--dry-run", "--mcp"],
  ];

  it("keeps to itself in every command that fails", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const shown = await Promise.all(
      FAILING.map((args) => runCli(args, { env: { TIDEMARK_STORE: NOWHERE, TIDEMARK_DEBUG: "1", HOME: folder } })),
    );
    shown.forEach(({ stdout, stderr, code }, index) => {
      const what = FAILING[index]?.join(" ").replaceAll(SECRET, "…");
      expect(`${stdout}${stderr}`.includes(SECRET), what).toBe(false);
      if (!FAILING[index]?.includes("--dry-run")) expect(code, what).not.toBe(0);
    });
  });
});
