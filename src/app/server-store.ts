/** The store of the server: locked, open, checked as a whole after an unclean end, and cleaned of what has expired. */

import type { StoreCheckProgress } from "../api/health.ts";
import { aborted, type Clock, pause, systemClock, within } from "../base/clock.ts";
import { type Log, messageOf } from "../base/log.ts";
import { hourMs } from "../base/units.ts";
import { removeLeftWorkFolders } from "../base/work-folder.ts";
import { checkWholeStore, isCutStore } from "../doctor/store-examination.ts";
import type { Config } from "../settings/settings.ts";
import { serverActor } from "../store/audit.ts";
import { damagedDataDir, restoreFolderPrefix } from "../store/data-dir.ts";
import { readDeletions } from "../store/deletions-file.ts";
import type { DataDirLock } from "../store/lock.ts";
import type { RetentionRules } from "../store/retention.ts";
import { openStore, type Store } from "../store/store.ts";
import type { StoreReport } from "../store/store-walk.ts";

export interface ServerStore {
  readonly store: Store;
  /** Closes the store and notes the orderly end. The lock stays. */
  close(): Promise<void>;
}

/** Time for a signal to the whole process group to arrive here too. */
const stopNoticeMs = 1_000;

interface ServerStoreOptions {
  /** Lock of the data directory. */
  readonly lock: DataDirLock;
  /** Called before the check of the whole store, and with its progress. Null once it has ended. */
  readonly onCheck: (progress: StoreCheckProgress | null) => void;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** Null if `stop` ended the check: the next start repeats it. @throws DataDirError */
export async function openServerStore(config: Config, options: ServerStoreOptions): Promise<ServerStore | null> {
  const { lock, log, stop } = options;
  // Before the opening, which may migrate: both read pages that LMDB does not check.
  if (!lock.endedInOrder) await checkWhole(config.data, "the last server did not end in order", options);
  else if (isCutStore(config.data)) await checkWhole(config.data, "the file of the store is shorter than it was", options);
  if (stop.aborted) return null;
  const store = openNoted(config, options);
  // The store is there: what a killed restore left is not needed.
  removeLeftWorkFolders(config.data, restoreFolderPrefix);
  await carryOutDeletions(store, config.data, log);
  return {
    store,
    close: async () => {
      await store.close();
      lock.markStopped();
    },
  };
}

/** LMDB may end this process at a damaged page. The next start then checks the whole store, which names the table. */
function openNoted(config: Config, { lock, log }: ServerStoreOptions): Store {
  lock.markRunning();
  try {
    return openStore(config.data, {
      queueMax: config["scan.queue_max"],
      screenshotsKept: config["retention.screenshots"],
      lock,
      onUnreadable: ({ table, key }) =>
        key === null
          ? log.error("more rows of the store cannot be read; assay doctor --store counts them")
          : log.error("a row of the store cannot be read and is passed over", { table, key }),
    });
  } catch (error) {
    if (lock.endedInOrder) lock.markStopped();
    throw error;
  }
}

/** Deletions that a restored backup does not know, or that were interrupted. */
async function carryOutDeletions({ erasure }: Store, dataDir: string, log: Log): Promise<void> {
  for (const deletion of readDeletions(dataDir)) {
    if (erasure.isDone(deletion.id)) continue;
    const scans = await erasure.carryOut(deletion, serverActor, new Date());
    log.info("a deletion was carried out again", { kind: deletion.kind, reference: deletion.reference, scans });
  }
}

/** LMDB itself survives the end of a process; this finds what a failing disk or a power loss left. */
async function checkWhole(dataDir: string, because: string, { onCheck, log, stop }: ServerStoreOptions): Promise<void> {
  log.warn(`${because}; checking the whole store`);
  let progress: StoreCheckProgress = { percent: 0, table: null };
  const advance = (change: Partial<StoreCheckProgress>) => {
    progress = { ...progress, ...change };
    onCheck(progress);
  };
  advance({});
  const check = await checkWholeStore(dataDir, {
    onTable: (table) => {
      log.debug("checking", { table });
      advance({ table });
    },
    onPercent: (percent) => advance({ percent }),
    stop,
  });
  onCheck(null);
  // A stop is signalled to the check as well, which may end before this process knows of it.
  if (check.status === "failed") await within(systemClock, stopNoticeMs, aborted(stop), undefined);
  if (stop.aborted) return;
  if (check.status === "died")
    throw damagedDataDir(`data directory ${dataDir} is damaged (table ${check.table}: its check ended by ${check.signal})`);
  if (check.status === "timeout") log.error("the check of the store ran out of time", { table: check.table, ms: check.ms });
  else if (check.status === "failed") log.error("the store could not be checked", { because: check.because });
  else if (check.report !== null) judgeReport(dataDir, check.report, check.ms, log);
}

function judgeReport(dataDir: string, report: StoreReport, ms: number, log: Log): void {
  const { pages, fileBytes, damagedTables, tables } = report;
  const [fault] = damagedTables;
  if (fault !== undefined) throw damagedDataDir(`data directory ${dataDir} is damaged (table ${fault.table}: ${fault.reason})`);
  const lost = tables.filter((table) => table.lost > 0);
  if (lost.length > 0) log.error("rows of the store are lost", Object.fromEntries(lost.map((table) => [table.table, table.lost])));
  log.info("the whole store is checked", { ms, pages, fileBytes });
}

/** Pause after each pass. */
const passEveryMs = hourMs;
/** Pause between two steps, so that requests and scans go first. */
const stepEveryMs = 20;

interface HousekeepingOptions {
  readonly config: Pick<
    Config,
    "audit.days" | "retention.evidence_days" | "retention.proof_days" | "retention.scans_per_host" | "retention.screenshots"
  >;
  readonly store: Pick<Store, "audit" | "deliveries" | "members" | "proofs" | "retention" | "sites">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins with a first pass. The returned function stops it after the current step. */
export function startHousekeeping(options: HousekeepingOptions): () => Promise<void> {
  const stopped = new AbortController();
  const keepTidying = async () => {
    while (!stopped.signal.aborted) {
      await tidyOnce(options, stopped.signal).catch((error: unknown) => {
        options.log.warn("old data could not be removed", { because: messageOf(error) });
      });
      await pause(options.clock, passEveryMs, stopped.signal);
    }
  };
  const running = keepTidying();
  return () => {
    stopped.abort();
    return running;
  };
}

/** One pass. Each step is a transaction of its own: a process that is killed goes on at the next start. */
async function tidyOnce({ config, store, clock, log }: HousekeepingOptions, stop: AbortSignal): Promise<void> {
  const rules: RetentionRules = {
    evidenceDays: config["retention.evidence_days"],
    scansPerHost: config["retention.scans_per_host"],
    screenshots: config["retention.screenshots"],
  };
  let [evidence, screenshots] = [0, 0];
  for (let from: string | null = null; !stop.aborted; await pause(clock, stepEveryMs, stop)) {
    const { next, removed } = await store.retention.removeEvidence(rules, clock.now(), from);
    evidence += removed;
    from = next;
    if (next === null) break;
  }
  for (let removed = 1; removed > 0 && !stop.aborted; await pause(clock, stepEveryMs, stop)) {
    removed = await store.retention.removeScreenshots(rules, clock.now());
    screenshots += removed;
  }
  while (!stop.aborted && (await store.audit.removeOlder(config["audit.days"], clock.now()))) await pause(clock, stepEveryMs, stop);
  while (!stop.aborted && (await store.proofs.removeOlder(config["retention.proof_days"], clock.now())))
    await pause(clock, stepEveryMs, stop);
  while (!stop.aborted && (await store.deliveries.removeOlder(clock.now()))) await pause(clock, stepEveryMs, stop);
  while (!stop.aborted && (await store.sites.removeStrayDue())) await pause(clock, stepEveryMs, stop);
  if (!stop.aborted) await store.members.removeExpiredInvitations(clock.now());
  if (evidence + screenshots > 0) log.info("old data removed", { scansWithoutEvidence: evidence, screenshots });
}
