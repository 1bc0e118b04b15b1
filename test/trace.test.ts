// @module-tag stores
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, it } from "vitest";
import { openAgent } from "../src/agent/open-agent.ts";
import { saveMemory, startModel } from "./support/model-server.ts";
import { startServer } from "./server/start-server.ts";
import { open, talk } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

const SECRET = "the-purple-elephant";

function gather(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return exporter;
}

afterEach(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

/** A span as its name and the name of what it is a part of. */
function shape(spans: readonly ReadableSpan[]): string[] {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext }) => {
    const parent = parentSpanContext && (names.get(parentSpanContext.spanId) ?? "elsewhere");
    return parent === undefined ? name : `${parent} > ${name}`;
  });
}

describe("traces", () => {
  it("have a turn over HTTP with its recall and its model call, below the span that the client names", async () => {
    const exporter = gather();
    const model = await startModel(() => ({ text: "Noted." }));
    const config = { ...model.config, agents: { defaults: { ...model.config.agents.defaults, autoRecall: true } } };
    const url = await startServer(await open({ workspace: temporaryFolder(), config }));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (const stream of [false, true]) {
      exporter.reset();
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { traceparent, "x-tidemark-session": `app:${SECRET}` },
        body: JSON.stringify({ stream, messages: [{ role: "user", content: `${SECRET}: where is it, ${stream}?` }] }),
      });
      await response.text();
      while (!exporter.getFinishedSpans().some(({ name }) => name === "tidemark.turn"))
        await new Promise((resolve) => setTimeout(resolve, 5));
      const spans = exporter.getFinishedSpans();
      expect(shape(spans)).toEqual([
        "tidemark.turn > tidemark.recall",
        "tidemark.turn > tidemark.model",
        "elsewhere > tidemark.turn",
      ]);
      expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
      expect(spans[1]?.attributes).toMatchObject({
        "gen_ai.request.model": "scripted/tide",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
      });
      expect(spans[2]?.attributes).toEqual({ "tidemark.wire": "chat", "tidemark.outcome": "answered" });
      expect(JSON.stringify(spans.map(({ attributes, status }) => ({ attributes, status })))).not.toContain(SECRET);
    }
  });

  it("have the commit of a digest, and what failed by its kind alone", async () => {
    const exporter = gather();
    const model = await startModel(() => saveMemory("# Memory\n\n## Facts\n\n- Lives in Lisbon.\n"));
    const memory = await open({ workspace: temporaryFolder(), config: model.config });
    const session = await memory.session("app:ada");
    for (const message of talk(4)) await session.append(message);
    await memory.consolidate("app:ada", { all: true });
    expect(shape(exporter.getFinishedSpans())).toEqual(["tidemark.model", "tidemark.commit"]);
    exporter.reset();
    model.script = () => ({ status: 400, body: { error: { message: `no: ${SECRET}` } } });
    const result = await openAgent(memory).turn("app:ada", "Hello there");
    expect(result.kind).toBe("failed");
    const [call] = exporter.getFinishedSpans();
    expect(call?.name).toBe("tidemark.model");
    expect(call?.status).toEqual({ code: 2, message: "MODEL_FAILED" });
    expect(exporter.getFinishedSpans().at(-1)).toMatchObject({
      name: "tidemark.turn",
      attributes: { "tidemark.outcome": "failed" },
    });
    expect(JSON.stringify(exporter.getFinishedSpans().map(({ events, status }) => ({ events, status })))).not.toContain(
      SECRET,
    );
  });
});
