/** A TCP proxy on loopback whose link can be cut: packets then vanish, as behind a router that lost its state. */
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Bytes are held back in both directions, and new connections get no answer. Neither side gets an error. */
  cut(): void;
  /** Resets all connections, so that both sides notice. */
  reset(): void;
  /** New connections work again. Those of before the cut are reset, as by a router that does not know them. */
  mend(): void;
  close(): void;
}

/** Forwards to a port of 127.0.0.1. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly Socket[]>();
  let isCut = false;

  const server = createServer((client) => {
    client.on("error", () => {});
    if (isCut) {
      pairs.add([client.pause()]);
      return;
    }
    const upstream = connect(targetPort, "127.0.0.1");
    const pair = [client, upstream];
    pairs.add(pair);
    upstream.on("error", () => {});
    client.pipe(upstream);
    upstream.pipe(client);
    for (const socket of pair)
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function reset(): void {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    pairs.clear();
  }

  return {
    port: (server.address() as { readonly port: number }).port,
    cut: () => {
      isCut = true;
      for (const pair of pairs)
        for (const socket of pair) {
          socket.unpipe();
          socket.pause();
        }
    },
    reset,
    mend: () => {
      reset();
      isCut = false;
    },
    close: () => {
      reset();
      server.close();
    },
  };
}
