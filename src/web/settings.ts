/** What the composition root hands to the pages. */
import type { AccountActions } from "../account/account-actions.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/load.ts";
import type { Locale } from "../check/check.ts";
import type { ScanProgress } from "../evidence/scan.ts";
import type { ClientAddressOf } from "../http/client-address.ts";
import type { ServerOriginOf } from "../http/server-origin.ts";
import type { Plan } from "../store/accounts.ts";
import type { Store } from "../store/store.ts";
import type { Texts } from "../text/i18n.ts";
import type { Operator } from "./admin/operator.ts";
import type { ApiDocument } from "./reference/api-document.ts";

export interface PagesSettings {
  readonly store: Store;
  readonly texts: Texts;
  readonly catalog: Catalog;
  readonly version: string;
  readonly defaultLocale: Locale;
  readonly addresses: {
    /** Whom requests are counted by. */
    readonly calling: ClientAddressOf;
    /** How a visitor reached this appliance. */
    readonly own: ServerOriginOf;
    /** How everybody reaches it, an origin; null when the operator named none. */
    readonly publicUrl: string | null;
  };
  readonly scanning: ScanningSettings;
  readonly reports: {
    /** A report that is older says so. */
    readonly staleDays: number;
    /** Whether search engines may list them. */
    readonly indexed: boolean;
  };
  readonly accounts: {
    readonly signUp: "closed" | "invite" | "open";
    readonly defaultPlan: Plan;
    /** What people do about their accounts. */
    readonly actions: AccountActions;
  };
  /** `mailto:` or `https:` addresses; null where the operator named none. */
  readonly contacts: { readonly security: string | null; readonly plans: string | null };
  /** Plain texts of the operator; null where there is none. */
  readonly legal: { readonly imprint: string | null; readonly privacy: string | null };
  /** What other rooms have that the reference tells of. */
  readonly reference: {
    /** The OpenAPI description, as plain data. */
    readonly api: ApiDocument;
    /** How the scanner's own client names itself; its browser goes by the name that browsers have. */
    readonly userAgent: string;
    /** API requests that each account has for each address. */
    readonly requestsPerMinuteMax: number;
  };
  /** For the pages of whoever runs the appliance. */
  readonly operator: Operator;
  /** Value of Strict-Transport-Security on https; null sends none. */
  readonly hsts: string | null;
  readonly now: () => Date;
  readonly log: Log;
}

/** How scans are started in the browser, and watched. */
export interface ScanningSettings {
  readonly guests: {
    /** Whether visitors who are not signed in may start scans ... */
    readonly mayScan: boolean;
    /** ... and how many in an hour, counted by address. */
    readonly scansPerHourMax: number;
  };
  /** For so long after a scan was started in the browser, the same visitor's wish for the same URL leads to that scan. */
  readonly cooldownSeconds: number;
  /** False for an address that the operator's rules for scans are certain to refuse; true says nothing yet of where its name leads. */
  readonly mayBeScanned: (url: string) => boolean;
  /** Whether scans can begin; until then they wait in the queue. */
  readonly ready: () => boolean;
  /** Lets pages watch scans as they run. */
  readonly progress: ScanProgress;
  /** Tells the dispatcher that the queue has grown. */
  readonly wake: () => void;
}
