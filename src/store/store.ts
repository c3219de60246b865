/** The store: one repository per kind of record over one database. */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { accountRepository } from "./accounts.ts";
import { activityRepository } from "./activity.ts";
import { apiTokenRepository } from "./api-tokens.ts";
import { auditRepository } from "./audit.ts";
import { channelRepository } from "./channels.ts";
import { credentialRepository } from "./credentials.ts";
import { instanceOf, openDatabase } from "./database.ts";
import { deliveryRepository } from "./deliveries.ts";
import { erasureRepository } from "./erasure.ts";
import type { DataDirLock } from "./lock.ts";
import { ruleRepository } from "./notification-rules.ts";
import { oidcLinkRepository } from "./oidc-links.ts";
import { oneTimeLinkRepository, redemptionRepository } from "./one-time-links.ts";
import { proofRepository } from "./proofs.ts";
import { publicScanRepository } from "./public-list.ts";
import { retentionRepository, screenshotRepository } from "./retention.ts";
import { scanRepository } from "./scans.ts";
import { sessionRepository } from "./sessions.ts";
import { brandRepository, memberRepository, metricsTokenRepository } from "./site-accounts.ts";
import { eventRepository } from "./site-events.ts";
import { siteRunRepository } from "./site-runs.ts";
import { siteRepository } from "./sites.ts";
import type { UnreadableRow } from "./table.ts";
import { workerRepository } from "./workers.ts";

/** Limit of queued scans; beyond it the wait would be too long to be useful. */
const defaultQueueMax = 1_000;
/** At most 800 MB, because the probe bounds each image. */
export const screenshotsKeptDefault = 2_000;

/** Reading methods are synchronous; writing methods resolve when the change is on disk. */
export type Store = ReturnType<typeof openStore>;

/** What a use case of the domain receives beside its input. `Parts`: the repositories that it uses. */
export interface UseCase<Parts extends keyof Store> {
  readonly store: Pick<Store, Parts>;
  readonly now: () => Date;
  readonly log: Log;
}

export interface StoreOptions {
  /** Opens for reading only; the store must exist. */
  readonly readOnly?: boolean;
  /** For tests only: changes are not flushed to the disk, so that a power loss may lose or damage the store. */
  readonly noSync?: boolean;
  /** For tests only: carries out each change, or refuses it, as a full disk does. Without an end, the process has ended before it. */
  readonly aroundWrite?: <T>(write: () => Promise<T>) => Promise<T>;
  readonly queueMax?: number;
  /** Newest scans that keep their screenshot; `screenshotsKeptDefault` by default. */
  readonly screenshotsKept?: number;
  /** The server's lock, if the caller holds it: migration of an older store needs it. */
  readonly lock?: DataDirLock | undefined;
  /** The clock of the system by default. */
  readonly clock?: Clock;
  /** Called once for each row that is passed over because it cannot be read. */
  readonly onUnreadable?: (row: UnreadableRow) => void;
}

/**
 * Opens the store in `<dataDir>/store` and creates it if missing. Several processes may have it open at once.
 * @throws DataDirError when the directory is not writable, full, damaged, of a newer release, or cannot be migrated.
 */
export function openStore(dataDir: string, options: StoreOptions = {}) {
  const { readOnly = false, queueMax = defaultQueueMax, screenshotsKept = screenshotsKeptDefault, ...opening } = options;
  const db = openDatabase(dataDir, { ...opening, readOnly });
  return {
    scans: scanRepository(db, { queueMax, screenshotsKept }),
    proofs: proofRepository(db, queueMax),
    publicScans: publicScanRepository(db),
    /** Undefined unless the scan finished. The scan must exist. */
    results: { find: (token: string) => db.results.get(token) },
    /** Undefined for an unfinished scan and for one that failed without evidence. The scan must exist. */
    evidence: { find: (token: string) => db.evidence.get(token), has: (token: string) => db.evidence.doesExist(token) },
    screenshots: screenshotRepository(db),
    retention: retentionRepository(db),
    erasure: erasureRepository(db),
    accounts: accountRepository(db),
    credentials: credentialRepository(db),
    oidcLinks: oidcLinkRepository(db),
    sessions: sessionRepository(db),
    oneTimeLinks: oneTimeLinkRepository(db),
    redemptions: redemptionRepository(db),
    apiTokens: apiTokenRepository(db),
    workers: workerRepository(db),
    audit: auditRepository(db),
    activity: activityRepository(db),
    sites: siteRepository(db),
    siteRuns: siteRunRepository(db, queueMax),
    events: eventRepository(db),
    channels: channelRepository(db),
    rules: ruleRepository(db),
    deliveries: deliveryRepository(db),
    members: memberRepository(db),
    brands: brandRepository(db),
    metricsTokens: metricsTokenRepository(db),
    /** See `instanceOf`. */
    instance: (): string => instanceOf(db),
    health: db.health,
    close: (): Promise<void> => db.close(),
  };
}
