/** Client report as one HTML file: all watched sites of a client. A browser prints its PDF from the same text. */
import { createElement } from "preact";
import type { CheckDefinition } from "../check/registry.ts";
import type { Brand } from "../report/brand.tsx";
import { plainUntrustedText } from "../report/components/untrusted-text.tsx";
import type { Account } from "../store/accounts.ts";
import type { PageLocale, Texts } from "../text/i18n.ts";
import { ClientReport } from "./client-report/client-report.tsx";
import { type ClientReportStore, collectClient } from "./client-report/collect.ts";
import { fileDocument, htmlText } from "./html/frame.tsx";
import { shortened } from "./plain-text.ts";

/** Characters of a client in the document title, which tabs and bookmarks cut anyway. */
const titleClientCharsMax = 30;
/** Characters of a client at the top of printed pages, beside the date. */
const headerClientCharsMax = 60;

export interface ClientReportSettings {
  readonly store: ClientReportStore;
  /** Account that watches the sites. */
  readonly owner: Pick<Account, "id">;
  /** As the sites name it. */
  readonly client: string;
  readonly locale: PageLocale;
  readonly texts: Texts;
  /** Checks of the catalog. */
  readonly checks: readonly CheckDefinition[];
  /** Version of assay. */
  readonly version: string;
  /** Of the appliance, whose pages describe the checks; null without links. */
  readonly origin: string | null;
  /** Null for that of assay. */
  readonly brand: Brand | null;
  readonly now: Date;
}

/** Null if the owner watches no site of the client. */
export function clientReportFile(settings: ClientReportSettings): string | null {
  const { store, owner, client, locale, checks, version, brand, now } = settings;
  const report = collectClient({ store, ownerId: owner.id, client, checks, locale, now });
  if (report === null) return null;
  const document = fileDocument(settings);
  const { i18n } = document;
  const day = i18n.date(now.toISOString());
  const name = plainUntrustedText(client);
  return htmlText({
    document,
    title: i18n.t("sites.clientReport.title", { client: shortened(name, titleClientCharsMax) }),
    printHeader: `${shortened(name, headerClientCharsMax)}, ${day}`,
    saved: i18n.t("sites.clientReport.saved", { day }),
    version,
    brand,
    children: createElement(ClientReport, report),
  });
}
