/** Watches one scan over several connections and records when each percentage arrived. */
import { childInput, sendReady } from "./child.ts";

export interface WatchInput {
  /** URL of the scan's event stream. */
  readonly url: string;
  readonly watchers: number;
}

export interface WatchResult {
  /** `atMs` is milliseconds since the epoch. */
  readonly arrivals: readonly { readonly percent: number; readonly atMs: number }[];
}

const { url, watchers } = childInput<WatchInput>();
const arrivals: { percent: number; atMs: number }[] = [];
await Promise.all(Array.from({ length: watchers }, watch));
const ready: WatchResult = { arrivals };
sendReady(ready);

async function watch(): Promise<void> {
  const { body, status } = await fetch(url);
  if (body === null || status !== 200) throw new Error(`the events answered ${status}`);
  let buffer = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const atMs = performance.timeOrigin + performance.now();
    const events = (buffer + chunk).split("\n\n");
    buffer = events.pop() ?? "";
    for (const event of events) {
      const percent = /^event: percent\ndata: \{"percent":(\d+)\}$/.exec(event)?.[1];
      if (percent !== undefined) arrivals.push({ percent: Number(percent), atMs });
    }
  }
}
