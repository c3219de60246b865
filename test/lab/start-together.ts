/** Starts several servers as one: stopped together, the last first, and also when one of them does not start. */

/** Hands back what it is given, and stops it when the time has come. */
export type Keep = <S extends { stop(): unknown }>(started: S) => S;

/** What `start` gives, and the stop of everything that it kept; when it fails, all of that is stopped at once. */
export async function startTogether<T extends object>(start: (kept: Keep) => Promise<T>): Promise<T & { stop(): Promise<void> }> {
  const running: { stop(): unknown }[] = [];
  const stop = async () => {
    for (const each of running.toReversed()) await each.stop();
  };
  try {
    const started = await start((each) => {
      running.push(each);
      return each;
    });
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
