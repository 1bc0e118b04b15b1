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
}

/** Gates that are all open until one is asked for. */
export function createGates(): Gates {
  const stops: { when: string; statement: RegExp; arrive: () => Promise<void> }[] = [];
  const losses: { statement: RegExp; meanwhile: () => Promise<unknown> }[] = [];
  const pass = async (when: string, texts: readonly string[]): Promise<void> => {
    const place = stops.findIndex((stop) => stop.when === when && texts.some((text) => stop.statement.test(text)));
    await stops.splice(place, place < 0 ? 0 : 1)[0]?.arrive();
  };
  return {
    around: (engine) => ({
      ...engine,
      async transaction(begin, work, confirm) {
        const asked: string[] = [];
        const watched: typeof work = (connection) =>
          work({
            ...connection,
            async query(text, values, limit) {
              asked.push(text);
              await pass("before", [text]);
              const rows = await connection.query(text, values, limit);
              await pass("after", [text]);
              return rows;
            },
          });
        const result = await engine.transaction(begin, watched, confirm);
        await pass("committed", asked);
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
    loseAnswer: (statement, meanwhile) => void losses.push({ statement, meanwhile }),
  };
}
