import type { Engine } from "../../src/store/postgres/engine.ts";

/** Where someone stands still until it is opened. */
export interface Gate {
  readonly reached: Promise<void>;
  open(): void;
}

/** A way to a database on which a test can stop whoever goes it. */
export interface Gates {
  /** Puts the gates around an engine. */
  readonly around: (engine: Engine) => Engine;
  /** Stops the next one who asks this: before it is asked, once it is answered, or once its transaction is over. */
  stop(when: "before" | "after" | "committed", statement: RegExp): Gate;
  /** Loses the answer to the commit of the next transaction that asks this; `meanwhile` happens before it is asked after. */
  loseAnswer(statement: RegExp, meanwhile: () => Promise<unknown>): void;
  /** The commit of the next transaction that asks this takes its time, and is asked after before it is carried out. */
  commitLate(statement: RegExp): void;
}

const LATE_MS = 400;

/** Gates that are all open until one is asked for. */
export function createGates(): Gates {
  const stops: { when: string; statement: RegExp; arrive: () => Promise<void> }[] = [];
  const losses: { statement: RegExp; meanwhile: () => Promise<unknown> }[] = [];
  const lates: RegExp[] = [];
  const find = (when: string, texts: readonly string[]): Promise<void> | undefined => {
    const place = stops.findIndex((stop) => stop.when === when && texts.some((text) => stop.statement.test(text)));
    return stops.splice(place, place < 0 ? 0 : 1)[0]?.arrive();
  };
  return {
    around: (engine) => ({
      ...engine,
      async transaction(begin, work, confirm) {
        const asked: string[] = [];
        const watched: typeof work = (connection) =>
          work({
            ...connection,
            query(text, values, limit) {
              asked.push(text);
              const held = find("before", [text]);
              // At once where nobody is held: several questions may share a way, and the commit follows them.
              const answer = held
                ? held.then(() => connection.query(text, values, limit))
                : connection.query(text, values, limit);
              return answer.then(async (rows) => {
                await find("after", [text]);
                return rows;
              });
            },
          });
        const lost = Promise.withResolvers<"lost">();
        const carriedOut = engine.transaction(
          begin,
          async (connection) => {
            const result = await watched(connection);
            const late = lates.findIndex((statement) => asked.some((text) => statement.test(text)));
            if (late < 0) return result;
            lates.splice(late, 1);
            lost.resolve("lost");
            await new Promise((resolve) => setTimeout(resolve, LATE_MS));
            return result;
          },
          confirm,
        );
        if ((await Promise.race([carriedOut, lost.promise])) === "lost" && typeof confirm === "function") {
          const known = await engine.transaction(begin, confirm);
          await carriedOut;
          return known ?? engine.transaction(begin, work, confirm);
        }
        const result = await carriedOut;
        await find("committed", asked);
        const loss = losses.findIndex(({ statement }) => asked.some((text) => statement.test(text)));
        if (loss < 0 || typeof confirm !== "function") return result;
        await losses.splice(loss, 1)[0]?.meanwhile();
        // As an engine does that does not know whether it was carried out.
        return (await engine.transaction(begin, confirm)) ?? engine.transaction(begin, work, confirm);
      },
    }),
    stop(when, statement) {
      const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const arrive = (): Promise<void> => {
        reached.resolve();
        return gate.promise;
      };
      stops.push({ when, statement, arrive });
      return { reached: reached.promise, open: () => gate.resolve() };
    },
    commitLate: (statement) => void lates.push(statement),
    loseAnswer: (statement, meanwhile) => void losses.push({ statement, meanwhile }),
  };
}
