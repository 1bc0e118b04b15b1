import { expect, it } from "vitest";
import { createQueue, createQueues } from "../src/queue.ts";

it("does one work after the other, also behind one that failed, and tells each caller of its own", async () => {
  const queue = createQueue();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.add(async () => {
    await gate.promise;
    order.push("first");
    throw new Error("no");
  });
  const second = queue.add(async () => order.push("second"));
  const settled = queue.settled().then(() => order.push("settled"));
  gate.resolve();
  await expect(first).rejects.toThrow("no");
  expect(await second).toBe(2);
  await settled;
  expect(order).toEqual(["first", "second", "settled"]);
});

it("does works of different keys side by side, and those of one in order", async () => {
  const queues = createQueues();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const held = queues.add("a", async () => {
    await gate.promise;
    order.push("a1");
  });
  const behind = queues.add("a", async () => void order.push("a2"));
  await queues.add("b", async () => void order.push("b"));
  gate.resolve();
  await queues.settled();
  await Promise.all([held, behind]);
  expect(order).toEqual(["b", "a1", "a2"]);
  await expect(queues.add("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await queues.add("a", async () => "again")).toBe("again");
});
