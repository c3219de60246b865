/** Asks one server the same thing over and over, on keep-alive connections, from a process of its own. */
import { given, say } from "./child.ts";

export interface LoadGiven {
  readonly port: number;
  /** The request, byte for byte. */
  readonly request: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Every answer must have it. */
  readonly status: number;
}

export interface LoadSaid {
  readonly perSecond: number;
  readonly medianMs: number;
}

const endOfHead = Buffer.from("\r\n\r\n");

if (import.meta.main) say(await run(given<LoadGiven>()));

async function run({ port, request, connections, durationMs, status }: LoadGiven): Promise<LoadSaid> {
  const bytes = Buffer.from(request);
  const took: number[] = [];
  const endsAtMs = performance.now() + durationMs;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      let sentAtMs = 0;
      let missing = 0;
      let head: Buffer = Buffer.alloc(0);
      const ask = (socket: { write(data: Buffer): number }) => {
        sentAtMs = performance.now();
        socket.write(bytes);
      };
      Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: ask,
          data: (socket, chunk) => {
            if (missing > 0) missing -= chunk.length;
            else {
              head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
              const end = head.indexOf(endOfHead);
              if (end === -1) return;
              const text = head.toString("latin1", 0, end);
              if (Number(text.slice(9, 12)) !== status) return reject(new Error(`answered: ${text.slice(0, 200)}`));
              const length = status === 304 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1]);
              if (Number.isNaN(length)) return reject(new Error(`of no stated length: ${text}`));
              missing = length - (head.length - end - endOfHead.length);
              head = Buffer.alloc(0);
            }
            if (missing > 0) return;
            const nowMs = performance.now();
            took.push(nowMs - sentAtMs);
            if (nowMs < endsAtMs) return ask(socket);
            resolve();
            socket.end();
          },
          close: () => reject(new Error("the server hung up")),
          connectError: (_socket, error) => reject(error),
        },
      });
    });
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - beganMs) / 1_000;
  took.sort((a, b) => a - b);
  return { perSecond: took.length / seconds, medianMs: took[Math.floor(took.length / 2)] ?? 0 };
}
