import pg from "pg";

const RECONNECT_MS = 1000;

/** A connection of its own, made again whenever it breaks; what was said meanwhile is lost, and polling finds it. */
export async function listen(
  url: () => string,
  channel: string,
  onNotify: (payload: string) => void,
): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url(), application_name: "tidemark listen", keepAlive: true });
    const again = () => {
      if (isStopped || client !== next) return;
      client = undefined;
      timer = setTimeout(() => void connect().catch(() => undefined), RECONNECT_MS).unref();
    };
    client = next;
    next.on("notification", ({ payload }) => onNotify(payload ?? ""));
    next.on("error", again);
    next.on("end", again);
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
    } catch {
      again();
    }
  };
  await connect();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}
