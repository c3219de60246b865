/** Hands one scan out, and waits for its outcome. */
import { messageOf } from "../../base/log.ts";
import type { ScanErrorCode } from "../../evidence/scan.ts";
import { type GatherEnd, type Gatherer, type GatherJob, type GatherWatch, isCancelled, type StoredJob } from "../../scan/gatherer.ts";
import type { Gathered } from "../../scan/task.ts";
import { type FleetJob, fleetProtocol } from "../messages.ts";
import { type HeadParts, type JobOut, jobFields } from "./job-board.ts";
import type { ResultIntake } from "./result-intake.ts";

/** Settings of the head that are part of each job. */
export type JobSettings = Pick<FleetJob, "deadlines" | "screenshot" | "headerCharsMax">;

export interface RemoteGatherOptions extends HeadParts {
  readonly intake: Pick<ResultIntake, "release">;
  readonly jobSettings: JobSettings;
  /** A job is to be published. */
  readonly onUnsent: () => void;
  /** An earlier process has published the job, or was about to. */
  readonly onAdopted: () => void;
}

const nothing = () => Promise.resolve();

export function createRemoteGather(options: RemoteGatherOptions): Gatherer["gather"] {
  const { board, transport, isConnected, intake, onUnsent, onAdopted, clock, log } = options;

  /** Without a connection the worker goes on, and its result is dropped. */
  function cancel({ location, job: { v, token, attempt } }: JobOut): void {
    if (isConnected()) transport.cancel(location, { v, token, attempt });
  }

  async function release(out: JobOut, ofCancelled: boolean): Promise<void> {
    intake.release(out);
    board.remove(out);
    if (!isConnected()) return;
    const { location, job } = out;
    try {
      await Promise.all([transport.removeResults(location, job.token), transport.withdrawJob(location, job.token)]);
      // Again, for a worker that took the job between the first note and the withdrawal.
      if (ofCancelled) cancel(out);
    } catch (error) {
      log.debug("messages of a stored scan are removed later", { ...jobFields(out), because: messageOf(error) });
    }
  }

  return ({ url, stored }: GatherJob, { onStage, signal }: GatherWatch): Promise<GatherEnd> => {
    const { promise, resolve } = Promise.withResolvers<GatherEnd>();
    if (stored === null || signal?.aborted)
      return Promise.resolve({ gathered: stored === null ? "no-worker" : "interrupted", release: nothing });
    const job = jobOf(options, url, stored);
    const abort = () => {
      if (isCancelled(signal)) {
        cancel(out);
        end("cancelled");
        return;
      }
      // The scan stays on the board, or the publisher would withdraw a job that a worker may have taken.
      out.state = "ended";
      resolve({ gathered: "interrupted", release: nothing });
    };
    const end = (gathered: Gathered | ScanErrorCode) => {
      signal?.removeEventListener("abort", abort);
      out.state = "ended";
      resolve({ gathered, worker: out.worker, release: () => release(out, gathered === "cancelled") });
    };
    const out: JobOut = {
      ...{ location: stored.location, job, onStage, end },
      state: stored.adopted ? "sent" : "unsent",
      ...{
        worker: null,
        sequence: null,
        sentAtMs: stored.adopted ? 0 : clock.now().getTime(),
        begunAtMs: null,
        republished: 0,
        unreadable: 0,
      },
    };
    signal?.addEventListener("abort", abort, { once: true });
    board.add(out);
    if (stored.adopted) onAdopted();
    else onUnsent();
    return promise;
  };
}

/** The instant of the scan is its start in the store: the next process of this server expects the same one. */
function jobOf({ store, clock, jobSettings }: RemoteGatherOptions, url: string, { token, attempt, requestId }: StoredJob): FleetJob {
  const scannedAt = store.scans.findByToken(token)?.startedAt ?? clock.now().toISOString();
  return { v: fleetProtocol, token, attempt, url, scannedAt, ...jobSettings, ...(requestId === undefined ? {} : { requestId }) };
}
