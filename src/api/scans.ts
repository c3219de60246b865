/** Lists the account's scans, and reads one as JSON. */
import type { Locale } from "../check/check.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import { listedScoreOf } from "../store/summary.ts";
import { renderFullReport, renderSecurityResult } from "../text/render.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { answerRendered, callingAccount, isOver, ownScan, pollAgainSeconds, statusUrlOf } from "./own-scan.ts";
import { type RenderedBodies, type RenderedBody, withEtag } from "./rendered-bodies.ts";
import type { ChecksInUse } from "./report-files.ts";
import type { RequestContext } from "./request-context.ts";
import { listLimitDefault } from "./schemas.ts";

const unfinishedHeaders = prepareHeaders({ "retry-after": String(pollAgainSeconds) });

export interface ScanHandlersSettings {
  readonly store: Pick<Store, "scans" | "results" | "evidence">;
  readonly checks: ChecksInUse;
}

export function createScanHandlers({ store, checks }: ScanHandlersSettings, bodies: RenderedBodies) {
  return { list: listScans, report: readReport, security: readSecurity };

  function listScans({ limit, cursor }: { readonly limit?: string; readonly cursor?: string }, requestContext: RequestContext): Response {
    const page = store.scans.listOfAccount(callingAccount(requestContext).id, {
      limit: limit === undefined ? listLimitDefault : Number(limit),
      cursor: cursor === undefined ? null : Number(cursor),
    });
    const items = page.items.map((scan) => {
      const { token, id, url, status, createdAt, endedAt, progressStage, progressPercent, summary } = scan;
      const [statusUrl, location] = [statusUrlOf(token), scanLocationOf(scan)];
      return { token, id, url, location, status, statusUrl, createdAt, endedAt, progressStage, progressPercent, ...listedScoreOf(summary) };
    });
    return answer(requestContext, 200, JSON.stringify({ items, nextCursor: page.nextCursor === null ? null : String(page.nextCursor) }));
  }

  function readReport(token: string, locale: Locale, request: Request, requestContext: RequestContext): Response {
    const scan = ownScan(store, token, requestContext);
    const gathered = store.evidence.find(token);
    const report = renderFullReport(
      scan,
      store.results.find(token) ?? null,
      { evidence: gathered?.evidence ?? null, timings: gathered?.timings ?? null },
      locale,
      checks().texts,
    );
    return answerScan(scan, withEtag(JSON.stringify(report)), request, requestContext);
  }

  function readSecurity(token: string, locale: Locale, request: Request, requestContext: RequestContext): Response {
    const scan = ownScan(store, token, requestContext);
    const render = () => withEtag(JSON.stringify(renderSecurityResult(scan, store.results.find(token) ?? null, locale, checks().texts)));
    return answerScan(scan, isOver(scan) ? bodies.get(`${token} ${locale}`, render) : render(), request, requestContext);
  }
}

/** An ended scan never changes, so it gets an ETag; any other gets Retry-After. */
function answerScan(scan: ScanRecord, body: RenderedBody, request: Request, requestContext: RequestContext): Response {
  return isOver(scan) ? answerRendered(body, request, requestContext) : answer(requestContext, 200, body.text, unfinishedHeaders);
}
