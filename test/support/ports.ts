/** Ports for servers that cannot choose one themselves. */

/**
 * The range is above all ports that browsers block, and below the ports of outgoing connections (Linux: from 32768 on), which cannot take the
 * port before the server starts.
 */
const portMin = 10_100;
const portMax = 32_000;
const attemptsMax = 100;

/** A port of 127.0.0.1 without a listener. @throws Error if 100 random ones are in use. */
export function portWithoutListener(): number {
  for (let attempt = 1; ; attempt++) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    try {
      Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() }).stop(true);
      return port;
    } catch (error) {
      if (attempt === attemptsMax) throw error;
    }
  }
}
