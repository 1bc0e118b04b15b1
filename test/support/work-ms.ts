/** What a piece of work makes this process do, in milliseconds of processor time: the same on a busy machine. */
export async function workMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
