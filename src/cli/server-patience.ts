/** Repeats requests to a server while it cannot answer for a time: a restart, a cut connection, a limit of requests. */
import { ServerError } from "../app/server-client.ts";
import { pause, systemClock } from "../base/clock.ts";
import { CliError, exitCodes } from "./exit.ts";
import { note, stripControls } from "./terminal.ts";

const pauseMsMax = 15_000;
/** A lost connection is repeated once without a word, unless the wait is longer. */
const silentMsMax = 2_000;
/** For a server that says when to come back. */
const busyPatienceMs = 600_000;

/** The user wants the call to end. */
export class Interrupted extends Error {}

export interface PatienceOptions {
  readonly stop: AbortSignal;
  /** Before the second attempt; doubled for each further one. */
  readonly repeatMs: number;
  /** Time without any answer, in milliseconds, after which a request fails. */
  readonly limitMs: () => number;
}

export type Patience = <T>(request: () => Promise<T>) => Promise<T>;

/** @throws CliError for a failure that does not pass, or not in time, and `Interrupted`. */
export function createPatience({ stop, repeatMs, limitMs }: PatienceOptions): Patience {
  let hasNoted = false;
  return async (request) => {
    let failsSince: number | null = null;
    for (let pauseMs = repeatMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      if (stop.aborted) throw new Interrupted();
      try {
        const answer = await request();
        if (hasNoted) note("assay: the server answers again");
        hasNoted = false;
        return answer;
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.because !== "unreachable" && error.because !== "busy") throw cliErrorOf(error);
        failsSince ??= performance.now();
        const patienceMs = error.retryAfterMs === null ? limitMs() : busyPatienceMs;
        if (performance.now() - failsSince > patienceMs) throw cliErrorOf(error);
        const waitMs = error.retryAfterMs ?? jittered(pauseMs);
        if (!hasNoted && (pauseMs > repeatMs || waitMs > silentMsMax)) {
          hasNoted = true;
          note(stripControls(`assay: ${error.message}; trying again`));
        }
        await pause(systemClock, waitMs, stop);
      }
    }
  };
}

/** Between half and all of it, so that many pipelines do not come back at once. */
function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

/** What cannot pass is a fault of the call. */
function cliErrorOf({ because, message }: ServerError): CliError {
  const code = because === "untrusted" || because === "refused" ? exitCodes.usage : exitCodes.internal;
  return new CliError(code, stripControls(message));
}
