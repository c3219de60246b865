/** Decides whether a worker may take jobs. */
import { evidenceVersion } from "../../evidence/evidence.ts";
import { fleetProtocol, type PresenceAnswer, type PresenceNote } from "../messages.ts";
import { isKnownEvidenceVersion } from "../received-evidence.ts";
import type { WorkerAddress } from "../subjects.ts";
import type { FleetStore } from "./fleet-store.ts";

export type Readers = "everybody" | "accounts";

const texts: Readonly<Record<PresenceAnswer, string>> = {
  accepted: "the server sends scans",
  drained: "the server sends no scans until an administrator resumes this worker",
  revoked: "this worker was revoked; enrol a new one with 'assay fleet enrol'",
  unknown: "the server knows no such worker of this location; enrol it with 'assay fleet enrol'",
  "too-old": "the server is of a newer release; update this worker",
  "too-new": "the server is of an older release; update the server",
  "private-location":
    'this worker may reach private addresses while everybody may read scans; set readers = "accounts" at the server, or remove the networks from the settings of this worker',
};

/** What to do, for the log of the worker. */
export function textOfAnswer(answer: PresenceAnswer): string {
  return texts[answer];
}

/** `note` is null if it is of another protocol, whose version is `protocol`. */
export function answerPresence(
  { location, worker }: WorkerAddress,
  { note, protocol }: { readonly note: PresenceNote | null; readonly protocol: number },
  { workers, readers }: { readonly workers: Pick<FleetStore["workers"], "find">; readonly readers: Readers },
): PresenceAnswer {
  const enrolled = workers.find(worker);
  if (enrolled === undefined || enrolled.location !== location) return "unknown";
  if (enrolled.revokedAt !== null) return "revoked";
  if (note === null) return protocol < fleetProtocol ? "too-old" : "too-new";
  if (!isKnownEvidenceVersion(note.evidenceVersion)) return note.evidenceVersion < evidenceVersion ? "too-old" : "too-new";
  if (note.reach === "private" && readers === "everybody") return "private-location";
  return enrolled.drained ? "drained" : "accepted";
}
