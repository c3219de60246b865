/** Parts of the server that operations of the API use. */
import type { SendInvitation } from "../agency/member-operations.ts";
import type { DecodeLogo, PrintPdf } from "../base/documents.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CancelAnyScan, CancelProof, LocationDirectory, QueueSignals } from "../evidence/scan.ts";
import type { StartLimits } from "../scans/start-limits.ts";
import type { Config } from "../settings/settings.ts";
import type { SiteServices } from "../sites/site-operations.ts";
import type { Store } from "../store/store.ts";
import type { Texts } from "../text/i18n.ts";
import type { RenderedBodies } from "./rendered-bodies.ts";

/** Asked for each request: a reload replaces them. Gives the same object until then. */
export type ChecksInUse = () => { readonly texts: Texts; readonly catalog: Pick<Catalog, "checks" | "version"> };

export interface ApiServices {
  readonly store: Store;
  readonly checks: ChecksInUse;
  readonly locations: Pick<LocationDirectory, "names" | "provers">;
  readonly sites: SiteServices;
  readonly decodeLogo: DecodeLogo;
  readonly printPdf: PrintPdf;
  /** Null without a mail server. No method rejects. */
  readonly mail: { readonly memberInvitation: NonNullable<SendInvitation> } | null;
  /** Version of assay. */
  readonly version: string;
  /** Settings of the operator. Links use `public_url` and never the origin of a request, since files are kept for several requests. */
  readonly config: Config;
  readonly scanning: QueueSignals & {
    /** The object that the pages have, too. */
    readonly limits: StartLimits;
  };
  readonly cancelScan: CancelAnyScan;
  readonly cancelProof: CancelProof;
  readonly now: () => Date;
  readonly log: Log;
}

/** Services with the bodies that were rendered before. */
export interface OperationServices extends ApiServices {
  readonly scanBodies: RenderedBodies;
  readonly clientBodies: RenderedBodies;
}
