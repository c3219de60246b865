/** Settings and services that the composition root passes to the pages. */
import type { AccountActions } from "../accounts/account-actions.ts";
import type { OidcSignIn } from "../accounts/oidc/oidc-sign-in.ts";
import type { DecodeLogo, PrintPdf } from "../base/documents.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { NoticeMails } from "../channels/notices.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { CancelAnyScan, CancelProof, LocationDirectory, QueueSignals, ScanProgress } from "../evidence/scan.ts";
import type { ClientAddressOf } from "../http/client-address.ts";
import type { ServerOriginOf } from "../http/server-origin.ts";
import type { LinesScore, StoredResult } from "../judge/result.ts";
import type { StartLimits } from "../scans/start-limits.ts";
import type { Config } from "../settings/settings.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import type { Store } from "../store/store.ts";
import type { Texts } from "../text/i18n.ts";
import type { Operator } from "./admin/operator.ts";
import type { Pictures } from "./picture/pictures.ts";
import type { ApiDocument } from "./reference/api-document.ts";

export interface PagesSettings {
  readonly store: Store;
  readonly texts: Texts;
  readonly catalog: Catalog;
  readonly version: string;
  /** Settings of the operator, by their own names. */
  readonly config: Config;
  readonly addresses: {
    /** Client address for rate limits. */
    readonly calling: ClientAddressOf;
    /** Address by which a visitor reached this appliance. */
    readonly own: ServerOriginOf;
  };
  readonly scanning: ScanningSettings;
  readonly sites: SiteServices;
  readonly accounts: {
    readonly actions: AccountActions;
    /** Null without an identity provider. */
    readonly oidc: OidcSignIn | null;
  };
  /** Plain texts of the operator; null if not configured. */
  readonly legal: { readonly imprint: string | null; readonly privacy: string | null };
  /** Facts of other modules for the reference pages. */
  readonly reference: {
    readonly api: ApiDocument;
    /** User-Agent of the scanner's own HTTP client; the browser keeps its own. */
    readonly userAgent: string;
  };
  readonly operator: Operator;
  readonly pictures: Pictures;
  readonly printPdf: PrintPdf;
  readonly decodeLogo: DecodeLogo;
  /** Null without a mail server. */
  readonly mail: AccountMails | null;
  readonly now: () => Date;
  readonly log: Log;
}

/** Mails with links of accounts. No method rejects. */
export type AccountMails = Pick<NoticeMails, "memberInvitation" | "reset" | "invitation">;

/** Starts and watches scans from the pages. */
export interface ScanningSettings extends QueueSignals {
  /** False if the operator's scan rules certainly refuse the URL; its DNS answers are checked later. */
  readonly mayBeScanned: (url: string) => boolean;
  /** False while scans cannot start yet; they wait in the queue. */
  readonly ready: () => boolean;
  readonly progress: ScanProgress;
  /** Calls `beat` at the pace of heartbeats, until the returned function is called. */
  readonly startHeartbeats: (beat: () => void) => () => void;
  readonly locations: LocationDirectory;
  /** Score with the header fields of the chosen findings' lines. Null while the judge is busy, and for lines that change no header. */
  readonly scoreOfLines: (asked: {
    readonly evidence: Evidence;
    readonly result: StoredResult;
    readonly checks: Catalog["checks"];
    readonly chosen: readonly string[];
  }) => Promise<LinesScore | null>;
  /** The object that the API has, too. */
  readonly limits: StartLimits;
  /** For administrators. */
  readonly cancelScan: CancelAnyScan;
  readonly cancelProof: CancelProof;
}
