/** Load generator: repeats one request on keep-alive connections, from a child process. */
import { childInput, sendReady, startChild } from "./child.ts";

export interface LoadInput {
  readonly port: number;
  /** The raw request. */
  readonly request: string;
  readonly connections: number;
  readonly durationMs: number;
  /** Expected of every response. */
  readonly status: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Time until the whole response has arrived. */
  readonly medianMs: number;
  readonly longestMs: number;
  /** Time until its first bytes have arrived. */
  readonly firstByteMs: number;
}

/** Runs the load in a child process. */
export async function load(input: LoadInput): Promise<LoadResult> {
  const child = await startChild<LoadResult>("load.ts", input);
  await child.stop();
  return child.ready;
}

const endOfHead = Buffer.from("\r\n\r\n");

if (import.meta.main) sendReady(await run(childInput<LoadInput>()));

async function run({ port, request, connections, durationMs, status }: LoadInput): Promise<LoadResult> {
  const bytes = Buffer.from(request);
  const durationsMs: number[] = [];
  const firstBytesMs: number[] = [];
  const endsAtMs = performance.now() + durationMs;
  const connection = () =>
    new Promise<void>((resolve, reject) => {
      let sentAtMs = 0;
      let bytesLeft = 0;
      let head: Buffer = Buffer.alloc(0);
      const send = (socket: { write(data: Buffer): number }) => {
        sentAtMs = performance.now();
        socket.write(bytes);
      };
      Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: send,
          data: (socket, chunk) => {
            if (bytesLeft > 0) bytesLeft -= chunk.length;
            else {
              if (head.length === 0) firstBytesMs.push(performance.now() - sentAtMs);
              head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
              const end = head.indexOf(endOfHead);
              if (end === -1) return;
              const text = head.toString("latin1", 0, end);
              if (Number(text.slice(9, 12)) !== status)
                return reject(new Error(`answered: ${text.slice(0, 200)} ${head.toString("utf8", end).slice(0, 300)}`));
              const length = status === 304 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1]);
              if (Number.isNaN(length)) return reject(new Error(`no content-length: ${text}`));
              bytesLeft = length - (head.length - end - endOfHead.length);
              head = Buffer.alloc(0);
            }
            if (bytesLeft > 0) return;
            const nowMs = performance.now();
            durationsMs.push(nowMs - sentAtMs);
            if (nowMs < endsAtMs) return send(socket);
            resolve();
            socket.end();
          },
          close: () => reject(new Error("the server closed the connection")),
          connectError: (_socket, error) => reject(error),
        },
      });
    });
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - beganMs) / 1_000;
  return {
    perSecond: durationsMs.length / seconds,
    medianMs: medianOf(durationsMs),
    longestMs: durationsMs.reduce((longest, ms) => Math.max(longest, ms), 0),
    firstByteMs: medianOf(firstBytesMs),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
