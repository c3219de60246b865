/** A proxy between a client and nats-server that reads along: it changes messages, holds them up, or cuts the link at one of them. */
import { connect, createServer, type Socket } from "node:net";

/** Bytes as they arrived, and what is passed on instead. A short message arrives in one piece. */
export type Passage = (bytes: Buffer) => Buffer;

export interface InterposerOptions {
  readonly toServer?: Passage;
  readonly toClient?: Passage;
}

export interface Interposer {
  readonly port: number;
  /** May be called within a passage too: nothing after its bytes is passed on, in either direction. */
  cut(): void;
  /** Holds up what the server sends from now on, until `release`. */
  hold(): void;
  release(): void;
  close(): void;
}

/** Forwards to a port of 127.0.0.1. */
export async function startInterposer(targetPort: number, { toServer, toClient }: InterposerOptions = {}): Promise<Interposer> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  const held: (() => void)[] = [];

  function pass(from: Socket, to: Socket, isToClient: boolean, passage: Passage = (bytes) => bytes): void {
    sockets.add(from);
    const forward = (bytes: Buffer) => {
      if (!isCut) to.write(passage(bytes));
    };
    from.on("data", (bytes: Buffer) => {
      if (isToClient && isHeld) held.push(() => forward(bytes));
      else forward(bytes);
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.end();
    });
  }

  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1");
    pass(client, upstream, false, toServer);
    pass(upstream, client, true, toClient);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { readonly port: number }).port,
    cut: () => {
      isCut = true;
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const forward of held.splice(0)) forward();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
