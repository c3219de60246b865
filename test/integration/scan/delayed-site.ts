/** Site in a thread of its own, which answers although the thread of the test is stopped. Its port is its first message. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

interface Delays {
  /** Time before each answer, in milliseconds. */
  readonly delayMs: number;
}

export interface DelayedSite {
  readonly port: number;
  stop(): Promise<unknown>;
}

export async function startDelayedSite(delayMs: number): Promise<DelayedSite> {
  const worker = new Worker(import.meta.filename, { workerData: { delayMs } satisfies Delays });
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  return { port, stop: () => worker.terminate() };
}

if (!isMainThread && parentPort !== null) {
  const { delayMs } = workerData as Delays;
  const { port } = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async () => {
      await Bun.sleep(delayMs);
      return new Response("<!doctype html><title>A page</title>", {
        headers: { "content-type": "text/html", "x-frame-options": "DENY", date: "Mon, 02 Nov 2026 12:00:00 GMT" },
      });
    },
  });
  parentPort.postMessage(port);
}
