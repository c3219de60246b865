/** Header fields that the browser reports before the request that they belong to. */
import type { BoundedExtraInfo } from "./bounded-response.ts";

/** Requests of which early fields are kept; the request itself follows within milliseconds. */
const earlyRequestsMax = 64;

/** The network process reports fields, and the process of the page reports requests: either can be first. */
export class EarlyExtraInfo {
  /** By request id, oldest first. */
  readonly #early = new Map<string, BoundedExtraInfo[]>();
  readonly #answersMax: number;

  /** `answersMax`: answers kept per request. */
  constructor(answersMax: number) {
    this.#answersMax = answersMax;
  }

  /** If there are too many, the oldest request loses its fields. */
  keep(requestId: string, extra: BoundedExtraInfo): void {
    const extras = this.#early.get(requestId) ?? [];
    if (extras.length < this.#answersMax) extras.push(extra);
    this.#early.set(requestId, extras);
    const [oldest] = this.#early.keys();
    if (this.#early.size > earlyRequestsMax && oldest !== undefined) this.#early.delete(oldest);
  }

  /** What came before the request, in order. */
  take(requestId: string): readonly BoundedExtraInfo[] {
    const extras = this.#early.get(requestId) ?? [];
    this.#early.delete(requestId);
    return extras;
  }
}
