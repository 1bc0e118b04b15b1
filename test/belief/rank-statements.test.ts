import { describe, expect, it } from "vitest";
import { readQuestion } from "../../src/belief/question.ts";
import { rankStatements } from "../../src/belief/rank-statements.ts";

/** What comes first for a question, of statements that were made day by day. */
function firstOf(question: string, said: readonly string[]): string | undefined {
  const items = said.map((text, index) => ({
    id: String(index),
    text,
    date: `2025-03-1${index}`,
  }));
  return rankStatements(readQuestion(question), items)[0]?.item.text;
}

describe("the order of what may answer", () => {
  // The more days speak of the subject, the less one day more counts: what was given up must not win by that.
  const earlier = ["mails", "bills", "orders", "parcels", "prices"].map((thing) => `we use events for ${thing}`);

  it.each([
    ["we decided to use NATS for events instead of kafka", "scratch NATS. ops hates it. we went with RabbitMQ"],
    ["we now use Kafka for events", "we switched to Pulsar instead of Kafka"],
    ["we now use Redis for events", "dropped Redis, we went with Solace"],
  ])("has the change before what it gives up: %s, then %s", (old, change) => {
    expect(firstOf("what do we use for events?", [...earlier, old, change])).toBe(change);
  });

  it("has it so where the name stands in many statements, and the change does not say what it is for", () => {
    const said = [
      "we use NATS for events",
      ...["Monday", "Tuesday", "Friday"].map((day) => `the NATS server was slow on ${day}`),
      "scratch NATS, it is RabbitMQ",
    ];
    expect(firstOf("what do we use for events?", said)).toBe("scratch NATS, it is RabbitMQ");
  });

  it("leaves alone what names the same thing and gives nothing up", () => {
    const said = ["we use NATS for events", "the NATS conference is in May"];
    expect(firstOf("what do we use for events?", said)).toBe("we use NATS for events");
  });

  it("answers about the thing itself, where the question names it", () => {
    const said = ["the NATS conference begins on 3 May", "scratch NATS, we went with RabbitMQ"];
    expect(firstOf("when does the NATS conference begin?", said)).toBe(said[0]);
  });

  it("answers yes or no by what names the thing, not by what gave up another since", () => {
    const said = ["we use Consul for discovery instead of Eureka", "scratch Consul, we went with Nacos"];
    expect(firstOf("do we use Eureka?", said)).toBe(said[0]);
    expect(firstOf("what do we use for discovery?", said)).toBe(said[1]);
  });
});
