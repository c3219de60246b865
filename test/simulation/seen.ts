/** What the laws have seen so far, and need at the next event. */
import type { Channel } from "../../src/store/channels.ts";
import type { StoredEvent } from "../../src/store/site-events.ts";

export interface Seen {
  /** End of each scan, by token. */
  readonly ends: Map<string, string>;
  /** Finished scans whose result was read. */
  readonly proven: Set<string>;
  /** Start of each wait without a reason, by its name. In milliseconds of the monotonic clock. */
  readonly waiting: Map<string, number>;
  /** Messages that were looked at. */
  taken: number;
  /** Highest sequence number of an event that was looked at, by account. */
  readonly events: Map<number, number>;
  /** Channels that were there at the last look, by account. */
  readonly channels: Map<number, readonly number[]>;
  /** Events since the last look, with the channels that want them. */
  readonly fresh: { readonly event: StoredEvent; readonly wanting: readonly Channel[] }[];
  /** Sequence numbers by the ids of events. */
  readonly sequence: Map<string, number>;
  /** Messages whose order was looked at. */
  ordered: number;
  /** Sequence number of the newest event that each target has received. */
  readonly newest: Map<string, number>;
  /** Starts of regular runs that were looked at. */
  starts: number;
}

export function nothingSeen(): Seen {
  return {
    ...{ ends: new Map(), proven: new Set(), waiting: new Map(), taken: 0, starts: 0, ordered: 0, fresh: [] },
    ...{ events: new Map(), channels: new Map(), newest: new Map(), sequence: new Map() },
  };
}
