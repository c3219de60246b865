/** Watches one scan over several connections, and says when each percentage arrived. */
import { given, say } from "./child.ts";

export interface WatchGiven {
  /** Of the scan's events. */
  readonly url: string;
  readonly watchers: number;
}

export interface WatchSaid {
  /** `atMs` is milliseconds since 1970. */
  readonly arrivals: readonly { readonly percent: number; readonly atMs: number }[];
}

const { url, watchers } = given<WatchGiven>();
const arrivals: { percent: number; atMs: number }[] = [];
await Promise.all(Array.from({ length: watchers }, watch));
const said: WatchSaid = { arrivals };
say(said);

async function watch(): Promise<void> {
  const { body, status } = await fetch(url);
  if (body === null || status !== 200) throw new Error(`the events answered ${status}`);
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const atMs = performance.timeOrigin + performance.now();
    const events = (rest + chunk).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const percent = /^event: percent\ndata: \{"percent":(\d+)\}$/.exec(event)?.[1];
      if (percent !== undefined) arrivals.push({ percent: Number(percent), atMs });
    }
  }
}
