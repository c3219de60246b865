/** The store: one repository per kind of record over one database. */
import { type AccountRepository, accountRepository } from "./accounts.ts";
import { type ApiTokenRepository, apiTokenRepository } from "./api-tokens.ts";
import { type CredentialRepository, credentialRepository } from "./credentials.ts";
import { openDatabase } from "./database.ts";
import type { DataDirLock } from "./lock.ts";
import { type OneTimeLinkRepository, oneTimeLinkRepository } from "./one-time-links.ts";
import { type PublicScanRepository, publicScanRepository } from "./public-list.ts";
import { type RedemptionRepository, redemptionRepository } from "./redemption.ts";
import { type EvidenceRepository, evidenceRepository, type ResultRepository, resultRepository } from "./results.ts";
import { type ScanRepository, scanRepository } from "./scans.ts";
import { type ScreenshotRepository, screenshotRepository } from "./screenshots.ts";
import { type SessionRepository, sessionRepository } from "./sessions.ts";

/** Limit of queued scans; beyond it the wait would be too long to be useful. */
const defaultQueueMax = 1_000;

/** Reading methods are synchronous; writing methods resolve when the change is on disk. */
export interface Store {
  readonly scans: ScanRepository;
  readonly publicScans: PublicScanRepository;
  readonly results: ResultRepository;
  readonly evidence: EvidenceRepository;
  readonly screenshots: ScreenshotRepository;
  readonly accounts: AccountRepository;
  readonly credentials: CredentialRepository;
  readonly sessions: SessionRepository;
  readonly oneTimeLinks: OneTimeLinkRepository;
  readonly redemptions: RedemptionRepository;
  readonly apiTokens: ApiTokenRepository;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Opens for reading only; the store must exist. */
  readonly readOnly?: boolean;
  readonly queueMax?: number;
  /** The server's lock, if the caller holds it: migration of an older store needs it. */
  readonly lock?: DataDirLock;
}

/**
 * Opens the store in `<dataDir>/store` and creates it if missing. Several processes may have it open at once.
 * @throws DataDirError when the directory is not writable, full, damaged, of a newer release, or cannot be migrated.
 */
export function openStore(dataDir: string, { readOnly = false, queueMax = defaultQueueMax, lock }: StoreOptions = {}): Store {
  const db = openDatabase(dataDir, { readOnly, lock });
  return {
    scans: scanRepository(db, { queueMax }),
    publicScans: publicScanRepository(db),
    results: resultRepository(db),
    evidence: evidenceRepository(db),
    screenshots: screenshotRepository(db),
    accounts: accountRepository(db),
    credentials: credentialRepository(db),
    sessions: sessionRepository(db),
    oneTimeLinks: oneTimeLinkRepository(db),
    redemptions: redemptionRepository(db),
    apiTokens: apiTokenRepository(db),
    close: () => db.close(),
  };
}
