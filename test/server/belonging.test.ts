// @module-tag stores
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startProvider } from "./scripted-provider.ts";
import type { ProviderReply, ProviderRequest } from "./scripted-provider.ts";
import { startServer } from "./start-server.ts";

type Param = OpenAI.Chat.Completions.ChatCompletionMessageParam;

async function start(
  script: (request: ProviderRequest, index: number) => ProviderReply = () => ({ text: "Yes." }),
  more = {},
) {
  const provider = await startProvider(script);
  const memory = await open({ workspace: temporaryFolder(), config: { ...provider.config("chat"), ...more } });
  const url = await startServer(memory);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
  const said = async (key: string) =>
    (await memory.session(key)).messages().map(({ role, content }) => `${role}: ${String(content)}`);
  const keys = async () => (await memory.listSessions()).sessions.map(({ key }) => key).toSorted();
  return { ...provider, memory, url, client, said, keys };
}

describe("the session of a request", () => {
  const SESSION = "0c6945f6-3fd5-41ae-8f4b-2bfeaa34daca";
  it.each([
    ["x-tidemark-session", { "x-tidemark-session": "app:1", "x-session-id": "no" }, { user: "no" }, "app:1"],
    ["x-session-id", { "x-session-id": "s1" }, { prompt_cache_key: "no" }, "api:s1"],
    ["session_id", { session_id: "s2" }, { user: "no" }, "api:s2"],
    ["session-id", { "session-id": "s3" }, { user: "no" }, "api:s3"],
    ["prompt_cache_key", {}, { prompt_cache_key: "p1", user: "no" }, "api:p1"],
    ["conversation", {}, { conversation: "conv_1", user: "no" }, "api:conv_1"],
    ["conversation.id", {}, { conversation: { id: "conv_2" } }, "api:conv_2"],
    ["metadata.user_id", {}, { metadata: { user_id: "ada" }, user: "no" }, "api:ada"],
    [
      "the session in metadata.user_id",
      {},
      { metadata: { user_id: `user_00_account__session_${SESSION}` } },
      `api:${SESSION}`,
    ],
    [
      "the session in its JSON",
      {},
      { metadata: { user_id: `{"device_id":"d","session_id":"${SESSION}"}` } },
      `api:${SESSION}`,
    ],
    ["user", {}, { user: "ada" }, "api:ada"],
  ])("is what %s says", async (_, headers, fields, key) => {
    const { url, keys } = await start();
    const body = { model: "tidemark", input: "Hello", messages: [{ role: "user", content: "Hello" }], ...fields };
    const path = "conversation" in fields ? "responses" : "chat/completions";
    await (await fetch(`${url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
    expect(await keys()).toEqual([key]);
  });

  it.each([
    ["a message", [{ role: "user", content: "We are on a laptop in an office." }]],
    [
      "a message and its answer",
      [
        { role: "user", content: "We are on a laptop in an office." },
        { role: "assistant", content: "Good to know." },
      ],
    ],
  ] as [string, Param[]][])(
    "is not the same where two conversations begin with %s that never changes",
    async (_, preamble) => {
      const { client, keys, said } = await start();
      for (const topic of ["tea", "coffee"]) {
        const messages: Param[] = [...preamble];
        for (const question of [`Do I like ${topic}?`, "Are you sure?"]) {
          messages.push({ role: "user", content: question });
          const { choices } = await client.chat.completions.create({ model: "tidemark", messages });
          messages.push({ role: "assistant", content: choices[0]?.message.content ?? "" });
        }
      }
      const found = await keys();
      expect(found.length).toBe(2);
      for (const key of found) {
        expect((await said(key)).filter((line) => line.startsWith("user: ")).length).toBe(3);
        expect(new Set((await said(key)).filter((line) => /tea|coffee/.test(line))).size).toBe(1);
      }
    },
  );
});

describe("what a program adds", () => {
  it.each([
    "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>\n",
    "<environment_context>\n  <cwd>/home/ada</cwd>\n</environment_context>\n",
    "<current_datetime>2026-11-15T10:00:00Z</current_datetime>\n",
    "<userEnvironment>linux</userEnvironment>\n",
    "<project_layout>\nsrc/\n</project_layout>\n",
    '<attached_files note="3">a.ts</attached_files>\n',
    "<<<BEGIN_AGENT_INTERNAL_CONTEXT>>>\nnothing runs\n<<<END_AGENT_INTERNAL_CONTEXT>>>\n",
    "INTERNAL_CONTEXT: nothing runs\n",
    "Runtime: agent=main | host=tide\n",
    "[Sun 2026-11-15 10:43 UTC] ",
  ])("is passed on and not kept as the user's word: %j", async (added) => {
    const { client, memory, said, requests } = await start();
    const content = `${added}I moved to Lisbon.`;
    await client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }], user: "h" });
    expect(requests[0]?.body.messages.at(-1).content).toBe(content);
    expect(await said("api:h")).toEqual(["user: I moved to Lisbon.", "assistant: Yes."]);
    const words = added.replaceAll(/<[^>]*>|[^\w ]/g, " ").trim();
    const { results } = await memory.search(words, { limit: 5 });
    expect(results.every(({ text }) => !text.includes("nothing runs") && !text.includes("list of tasks"))).toBe(true);
  });

  it.each([
    "What does <b>bold</b> mean, and <context>this</context>?",
    "The tag <system-reminder> is never closed here",
    "a < b && c > d; List<String> x = new ArrayList<>();",
    "Runtime: it took two hours.",
    "<my-list><item>one</item></my-list>",
    "The following is a summary of my trip: we sailed to Lisbon.",
  ])("is not found in what a person writes: %j", async (content) => {
    const { client, said } = await start();
    await client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }], user: "h" });
    expect((await said("api:h"))[0]).toBe(`user: ${content}`);
  });

  it.each([
    [
      "a title",
      "Generate a concise, 3-5 word title for the conversation below. Respond only with the title, no quotes or explanations.\n\nUser: I like tea.\nAssistant: Good.",
      {},
    ],
    [
      "tags",
      '### Task:\nGenerate 1-3 broad tags for the chat history below. Respond with JSON: {"tags": []}. Use words from the conversation only, no explanations.\n\nUser: tea?',
      {},
    ],
    [
      "a summary",
      "Your task is to create a detailed summary of the conversation so far, paying close attention to what the user asked for and what was done.",
      {},
    ],
    [
      "the memory before it is cut",
      "Pre-compaction memory flush. Store durable memories now in memory/2026-11-15.md. If there is nothing to store, reply with NO_REPLY.",
      {},
    ],
    ["a sign of life", "quota", { max_tokens: 1 }],
  ])("is nothing that is kept when it asks for %s", async (_, content, more) => {
    const { client, memory, requests } = await start();
    await memory.replaceMemory("# Memory\n\n- The user likes tea.\n");
    await client.chat.completions.create({
      model: "tidemark",
      messages: [{ role: "user", content }],
      user: "chore",
      ...more,
    });
    expect(requests[0]?.body.messages).toEqual([{ role: "user", content }]);
    expect(await memory.hasSession("api:chore")).toBe(false);
  });

  it.each([
    "Write a title for my blog post about sailing",
    "Can you summarize our conversation so far?",
    "Generate tags for my photos, JSON only please, and use the words that I gave you earlier when we talked about the holidays in Portugal.",
  ])("is told from what a person asks for: %j", async (content) => {
    const { client, said } = await start();
    await client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }], user: "person" });
    expect(await said("api:person")).toEqual([`user: ${content}`, "assistant: Yes."]);
  });
});

describe("a continuation of responses", () => {
  it("goes on from an answer by its id, with everything that was said before, over a restart", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const { client, memory, requests, said, keys } = await start((_, index) =>
      index === 0 ? { calls: [{ id: "c1", name: "look", input: { at: "sea" } }] } : { text: `answer ${index}` },
    );
    const tools: OpenAI.Responses.Tool[] = [{ type: "function", name: "look", parameters: {}, strict: false }];
    const first = await client.responses.create({
      model: "tidemark",
      tools,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" },
          ],
        },
      ],
    });
    const second = await client.responses.create({
      model: "tidemark",
      tools,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "c1", output: "a boat" }],
    });
    expect(second.output_text).toBe("answer 1");
    // Another server over the same folder knows the answer as well.
    const other = new OpenAI({ baseURL: `${await startServer(memory)}/v1`, apiKey: "x", maxRetries: 0 });
    await other.responses.create({ model: "tidemark", previous_response_id: second.id, input: "And whose?" });
    const roles = requests.map(({ body }) => body.messages.map(({ role }: { role: string }) => role).join(" "));
    expect(roles).toEqual(["user", "user assistant tool", "user assistant tool assistant user"]);
    expect(JSON.stringify(requests[2]?.body)).toContain(pixel);
    const [key = ""] = await keys();
    expect((await said(key)).slice(1)).toEqual([
      "assistant: null",
      "tool: a boat",
      "assistant: answer 1",
      "user: And whose?",
      "assistant: answer 2",
    ]);
    const gone = await client.responses
      .create({ model: "tidemark", previous_response_id: "resp_gone", input: "Hi" })
      .catch((error: unknown) => error);
    expect(gone).toMatchObject({ status: 400, code: "previous_response_not_found" });
  });

  it("names the same session by the header that it sent", async () => {
    const provider = await startProvider(() => ({ text: "Aye." }));
    const memory = await open({ workspace: temporaryFolder(), config: provider.config("chat") });
    const url = await startServer(memory);
    const names = ["my chat", "app:100%", "app:50%25", "caf\u00e9:1", "app:a/b", "%zz", "x".repeat(300)];
    for (const name of names) {
      let sent = name;
      for (const content of ["one", "two", "three"]) {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { "x-tidemark-session": sent },
          body: JSON.stringify({ model: "tidemark", messages: [{ role: "user", content }] }),
        });
        expect(response.status).toBe(200);
        sent = response.headers.get("x-tidemark-session") ?? "";
      }
    }
    const named = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "tidemark", user: "日\ud800本", messages: [{ role: "user", content: "one" }] }),
    });
    const again = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-tidemark-session": named.headers.get("x-tidemark-session") ?? "" },
      body: JSON.stringify({ model: "tidemark", messages: [{ role: "user", content: "two" }] }),
    });
    expect(again.status).toBe(200);
    const { sessions } = await memory.listSessions();
    expect(sessions.map(({ messages }) => messages).toSorted((a, b) => a - b)).toEqual([4, ...names.map(() => 6)]);
    expect(sessions.map(({ key }) => key)).toEqual(expect.arrayContaining(["my chat", "app:100%", "api:日\ufffd本"]));
  });

  it("goes on in a conversation by its name", async () => {
    const { client, requests, said } = await start((_, index) => ({ text: `answer ${index}` }));
    for (const input of ["One", "Two"])
      await client.responses.create({ model: "tidemark", conversation: "conv_7", input });
    expect(requests[1]?.body.messages.map(({ content }: { content: unknown }) => content)).toEqual([
      "One",
      "answer 0",
      "Two",
    ]);
    expect(await said("api:conv_7")).toEqual(["user: One", "assistant: answer 0", "user: Two", "assistant: answer 1"]);
  });
});

describe("the other endpoints", () => {
  it("embeds with the embedder of the search, as numbers and as OpenAI's clients ask for it", async () => {
    const { client } = await start();
    const one = await client.embeddings.create({ model: "tidemark", input: ["tea", "coffee"] });
    const two = await client.embeddings.create({ model: "local", input: "tea", encoding_format: "float" });
    expect(one.data.length).toBe(2);
    expect(one.data[0]?.embedding.length).toBe(two.data[0]?.embedding.length);
    for (const [index, value] of (two.data[0]?.embedding ?? []).entries()) {
      expect(one.data[0]?.embedding[index]).toBeCloseTo(value, 5);
    }
    await expect(client.embeddings.create({ model: "text-embedding-3-small", input: "tea" })).rejects.toMatchObject({
      status: 404,
    });
    await expect(client.embeddings.create({ model: "tidemark", input: [1, 2] })).rejects.toMatchObject({ status: 400 });
    await expect(client.embeddings.create({ model: "tidemark", input: "x", dimensions: 3 })).rejects.toMatchObject({
      status: 400,
    });
  });

  it("shows one model, refuses what is none, and says where completions went", async () => {
    const { client } = await start();
    expect(await client.models.retrieve("scripted/tide")).toMatchObject({ id: "scripted/tide", object: "model" });
    expect(await client.models.retrieve("tide")).toMatchObject({ id: "tide" });
    await expect(client.models.retrieve("gone")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    await expect(client.completions.create({ model: "tidemark", prompt: "x" })).rejects.toThrow("/v1/chat/completions");
  });
});

describe("autoRecall", () => {
  it("brings back what answers, and never the question itself or others like it", async () => {
    const { client, memory, requests } = await start(() => ({ text: "I cannot say." }), {
      agents: { defaults: { model: "scripted/tide", autoRecall: true } },
    });
    const old = await memory.session("telegram:1");
    await old.append({ role: "user", content: "Our new dog is called Biscuit, he is a beagle." });
    const questions = [
      "What is my dog called?",
      "what's the name of my dog",
      "Do you remember what my dog is called?",
      "How is my dog called?",
    ];
    for (const [index, content] of questions.entries()) {
      await client.chat.completions.create({
        model: "tidemark",
        messages: [{ role: "user", content }],
        user: `q${index}`,
      });
      const sent = String(requests.at(-1)?.body.messages.at(-1).content);
      expect(sent).toContain("Biscuit");
      const [recalled = ""] = sent.split(/\]\n\n(?=[^\n]*$)/);
      for (const question of questions) expect(recalled).not.toContain(question);
      expect(sent.endsWith(content)).toBe(true);
    }
  });

  it("says that nothing is on record rather than to repeat the question", async () => {
    const { client, requests } = await start(() => ({ text: "I do not know." }), {
      agents: { defaults: { model: "scripted/tide", autoRecall: true } },
    });
    for (const content of ["What is my blood type?", "Which blood type have I?", "Do you know my blood type?"]) {
      await client.chat.completions.create({ model: "tidemark", messages: [{ role: "user", content }], user: "b" });
      expect(String(requests.at(-1)?.body.messages.at(-1).content)).not.toMatch(/<passage[\s\S]*\?[\s\S]*<\/passage>/);
    }
  });
});
