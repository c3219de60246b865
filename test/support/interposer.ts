/** A proxy between a client and nats-server that reads along: it changes messages, or cuts the link at one of them. */
import { connect, createServer, type Socket } from "node:net";

/** Bytes as they arrived, and what is passed on instead. A short message arrives in one piece. */
export type Passage = (bytes: Buffer) => Buffer;

export interface InterposerOptions {
  readonly toServer?: Passage;
  readonly toClient?: Passage;
}

export interface Interposer {
  readonly port: number;
  /** To be called within a passage too: nothing after its bytes is passed on, in either direction. */
  cut(): void;
  close(): void;
}

/** Forwards to a port of 127.0.0.1. */
export async function startInterposer(targetPort: number, { toServer, toClient }: InterposerOptions): Promise<Interposer> {
  const sockets = new Set<Socket>();
  let isCut = false;

  function pass(from: Socket, to: Socket, passage: Passage = (bytes) => bytes): void {
    sockets.add(from);
    from.on("data", (bytes: Buffer) => {
      if (!isCut) to.write(passage(bytes));
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.end();
    });
  }

  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1");
    pass(client, upstream, toServer);
    pass(upstream, client, toClient);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { readonly port: number }).port,
    cut: () => {
      isCut = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
