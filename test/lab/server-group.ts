/** Starts several servers as one: they stop together in reverse order, also if one of them does not start. */

/** Registers a server to be stopped with the group, and returns it. */
type Track = <S extends { stop(): unknown }>(started: S) => S;

/** Returns the result of `start` with a `stop` for all tracked servers. If `start` fails, they stop at once. */
export async function startGroup<T extends object>(start: (track: Track) => Promise<T>): Promise<T & { stop(): Promise<void> }> {
  const running: { stop(): unknown }[] = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
  };
  try {
    const started = await start((server) => {
      running.push(server);
      return server;
    });
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
