/** What the endpoints of agencies need: brand, members and clients. */
import type { SendInvitation } from "../../account/member-invitations.ts";
import type { DecodeLogo, PrintPdf } from "../../base/documents.ts";
import type { ClientReportStore } from "../../export/client-report/collect.ts";
import type { Store } from "../../store/store.ts";
import type { ChecksInUse } from "../report-files.ts";
import type { SiteApiSettings } from "../sites/account-request.ts";

export const brandPath = "/api/v1/brand";
export const membersPath = "/api/v1/members";
export const invitationsPath = "/api/v1/invitations";
export const clientsPath = "/api/v1/clients";
export const metricsTokenPath = "/api/v1/metrics-token";

export interface AgencyApiSettings extends SiteApiSettings {
  readonly store: SiteApiSettings["store"] & Pick<Store, "brands" | "members" | "metricsTokens"> & ClientReportStore;
  readonly decodeLogo: DecodeLogo;
  readonly printPdf: PrintPdf;
  /** Null without a mail server. No method rejects. */
  readonly mail: { readonly memberInvitation: NonNullable<SendInvitation> } | null;
  readonly checks: ChecksInUse;
  /** Version of assay. */
  readonly version: string;
  /** Public origin of the appliance; null if not configured, and then there is no mail either. */
  readonly publicUrl: string | null;
}
