/** Browser for documents in the thread of a test, with its events and log lines. */
import { createLog } from "../../../src/base/log.ts";
import { type DocumentsOptions, openDocuments } from "../../../src/browser/documents.ts";
import { openProfilesDir } from "../../../src/browser/profiles.ts";
import type { BrowserEvent } from "../../../src/browser/slot.ts";
import { browserDir } from "../../support/binary.ts";

/** Limit of a test on two busy cores. */
export const documentTestMsMax = 300_000;
/** No job ends before its test. */
export const patientTimes = { jobMs: documentTestMsMax, printMs: documentTestMsMax, logoMs: documentTestMsMax };

export function openDocumentsHere(times: DocumentsOptions["times"] = patientTimes, onEvent: (event: BrowserEvent) => void = () => {}) {
  const profiles = openProfilesDir(browserDir);
  const events: BrowserEvent[] = [];
  const logged: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
  const browsers: DocumentsOptions["browsers"] = {
    prepare: async () => ({ path: null, dir: browserDir, sandbox: "auto", profilesDir: profiles.path }),
    record: (event) => {
      events.push(event);
      onEvent(event);
    },
  };
  const documents = openDocuments({ browsers, log, times });
  return {
    ...documents,
    events,
    logged,
    /** Process id of the browser that was started last; 0 before the first. */
    pid: () => events.reduce((last, event) => (event.event === "started" ? event.state.pid : last), 0),
    stop: async () => {
      await documents.close();
      profiles.close();
    },
  };
}
