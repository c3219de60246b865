/** Settings and services that the composition root passes to the pages. */
import type { AccountActions } from "../account/account-actions.ts";
import type { OidcSignIn } from "../account/oidc/oidc-sign-in.ts";
import type { DecodeLogo, PrintPdf } from "../base/documents.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { NoticeMails } from "../deliver/notices.ts";
import type { CancelAnyScan, LocationDirectory, ScanProgress } from "../evidence/scan.ts";
import type { ClientAddressOf } from "../http/client-address.ts";
import type { ServerOriginOf } from "../http/server-origin.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import type { Plan } from "../store/accounts.ts";
import type { Store } from "../store/store.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import type { Operator } from "./admin/operator.ts";
import type { Pictures } from "./picture/pictures.ts";
import type { ApiDocument } from "./reference/api-document.ts";

export interface PagesSettings {
  readonly store: Store;
  readonly texts: Texts;
  readonly catalog: Catalog;
  readonly version: string;
  readonly defaultLocale: PageLocale;
  readonly addresses: {
    /** Client address for rate limits. */
    readonly calling: ClientAddressOf;
    /** Address by which a visitor reached this appliance. */
    readonly own: ServerOriginOf;
    /** Public origin; null if not configured. */
    readonly publicUrl: string | null;
  };
  readonly scanning: ScanningSettings;
  readonly sites: SiteServices;
  /** Who may read scans. With `accounts`, guests see none and start none. */
  readonly readers: "everybody" | "accounts";
  readonly reports: {
    /** Age from which a report is marked as old. */
    readonly staleDays: number;
    /** Lets search engines index reports. */
    readonly indexed: boolean;
  };
  readonly accounts: {
    readonly signUp: "closed" | "invite" | "open";
    readonly defaultPlan: Plan;
    readonly actions: AccountActions;
    /** Null without an identity provider. */
    readonly oidc: OidcSignIn | null;
  };
  /** `mailto:` or `https:` URLs; null if not configured. */
  readonly contacts: { readonly security: string | null; readonly plans: string | null };
  /** Plain texts of the operator; null if not configured. */
  readonly legal: { readonly imprint: string | null; readonly privacy: string | null };
  /** Facts of other modules for the reference pages. */
  readonly reference: {
    readonly api: ApiDocument;
    /** User-Agent of the scanner's own HTTP client; the browser keeps its own. */
    readonly userAgent: string;
    /** API rate limit per account and address. */
    readonly requestsPerMinuteMax: number;
  };
  readonly operator: Operator;
  readonly pictures: Pictures;
  readonly printPdf: PrintPdf;
  readonly decodeLogo: DecodeLogo;
  /** Null without a mail server. */
  readonly mail: AccountMails | null;
  /** Strict-Transport-Security value for https; null sends none. */
  readonly hsts: string | null;
  readonly now: () => Date;
  readonly log: Log;
}

/** Mails with links of accounts. No method rejects. */
export type AccountMails = Pick<NoticeMails, "memberInvitation" | "reset" | "invitation">;

/** Starts and watches scans from the pages. */
export interface ScanningSettings {
  readonly guests: {
    /** Lets guests start scans ... */
    readonly mayScan: boolean;
    /** ... up to this number per hour and address. */
    readonly scansPerHourMax: number;
  };
  /** Cooldown: an equal request of the same visitor reuses the scan. */
  readonly cooldownSeconds: number;
  /** Characters that new scans read of a response header. */
  readonly headerCharsMax: number;
  /** False if the operator's scan rules certainly refuse the URL; its DNS answers are checked later. */
  readonly mayBeScanned: (url: string) => boolean;
  /** False while scans cannot start yet; they wait in the queue. */
  readonly ready: () => boolean;
  readonly progress: ScanProgress;
  /** Calls `beat` at the pace of heartbeats, until the returned function is called. */
  readonly startHeartbeats: (beat: () => void) => () => void;
  readonly locations: LocationDirectory;
  /** Hours that a scan waits for a location without workers. */
  readonly workerWaitHoursMax: number;
  /** Notifies the dispatcher of a new scan in the queue. */
  readonly wake: () => void;
  /** For administrators. */
  readonly cancelScan: CancelAnyScan;
  /** Notifies those who follow a scan that it was cancelled. */
  readonly cancelled: (token: string) => void;
}
