/** The first signal asks to stop; a second one ends at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (): void => {
      process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
      resolve();
    };
    process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  });
}
