/** Watches one scan over several connections and records when each percentage arrived. */
import type { ScanEventData } from "../../src/web/scans/state.ts";
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
      const data = /^event: percent\ndata: (.+)$/.exec(event)?.[1];
      if (data !== undefined) arrivals.push({ percent: (JSON.parse(data) as ScanEventData["percent"]).percent, atMs });
    }
  }
}
