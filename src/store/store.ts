/** The store's door: every verb that reads or changes what the appliance remembers. */
import { type AccountVerbs, accountVerbs } from "./accounts.ts";
import { type ApiTokenVerbs, apiTokenVerbs } from "./api-tokens.ts";
import { type CredentialVerbs, credentialVerbs } from "./credentials.ts";
import { openDatabase } from "./database.ts";
import { type EvidenceVerbs, evidenceVerbs } from "./evidence.ts";
import type { DataDirLock } from "./lock.ts";
import { type OneTimeLinkVerbs, oneTimeLinkVerbs } from "./one-time-links.ts";
import { type PublicListVerbs, publicListVerbs } from "./public-list.ts";
import { type RedemptionVerbs, redemptionVerbs } from "./redemption.ts";
import { type ResultVerbs, resultVerbs } from "./results.ts";
import { type ScanVerbs, scanVerbs } from "./scans.ts";
import { type ScreenshotVerbs, screenshotVerbs } from "./screenshots.ts";
import { type SessionVerbs, sessionVerbs } from "./sessions.ts";

/** Scans that may wait; a queue longer than this is refused, because nobody would see its end. */
const defaultQueueMax = 1_000;

/** Reading verbs answer at once; changing verbs resolve when the change is on disk. */
export interface Store
  extends ScanVerbs,
    PublicListVerbs,
    ResultVerbs,
    EvidenceVerbs,
    ScreenshotVerbs,
    AccountVerbs,
    CredentialVerbs,
    SessionVerbs,
    OneTimeLinkVerbs,
    RedemptionVerbs,
    ApiTokenVerbs {
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Opens without the means to change anything; the store must exist. */
  readonly readOnly?: boolean;
  readonly queueMax?: number;
  /** The server's lock, where the caller has it: a store of an older assay is brought up to date only while no other server runs. */
  readonly lock?: DataDirLock;
}

/**
 * Opens the store in `<dataDir>/store`, making it when it is missing. Several processes may have it open at once.
 * @throws DataDirError when the directory cannot be written, has no room, is damaged, belongs to a newer assay, or has to be brought up to date and cannot.
 */
export function openStore(dataDir: string, { readOnly = false, queueMax = defaultQueueMax, lock }: StoreOptions = {}): Store {
  const db = openDatabase(dataDir, { readOnly, lock });
  return {
    ...scanVerbs(db, { queueMax }),
    ...publicListVerbs(db),
    ...resultVerbs(db),
    ...evidenceVerbs(db),
    ...screenshotVerbs(db),
    ...accountVerbs(db),
    ...credentialVerbs(db),
    ...sessionVerbs(db),
    ...oneTimeLinkVerbs(db),
    ...redemptionVerbs(db),
    ...apiTokenVerbs(db),
    close: () => db.close(),
  };
}
