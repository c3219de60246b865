/** What `assay scan --server` renders reports from: a scan as it is stored, and the checks with their texts. */
import { locales } from "../check/check.ts";
import { scanLocationOf } from "../store/scan-location.ts";
import { scanNotOver } from "./errors.ts";
import { answerRendered, isOver, ownScan, pollAgainSeconds } from "./own-scan.ts";
import { type RenderedBody, withEtag } from "./rendered-bodies.ts";
import type { ReportFilesSettings } from "./report-files.ts";
import type { RequestContext } from "./request-context.ts";
import { storedSchemaVersion } from "./stored-schemas.ts";

export function createStoredHandlers({ store, checks }: Pick<ReportFilesSettings, "store" | "checks">) {
  return { result: readResult, checks: readChecks };

  /** @throws ApiError 404, 409 before the end of the scan. */
  function readResult(token: string, request: Request, requestContext: RequestContext): Response {
    const scan = ownScan(store, token, requestContext);
    if (!isOver(scan)) throw scanNotOver(pollAgainSeconds);
    const { url, status, errorCode, endedAt } = scan;
    const gathered = store.evidence.find(token);
    const body = {
      schemaVersion: storedSchemaVersion,
      token,
      url,
      location: scanLocationOf(scan),
      status,
      errorCode,
      endedAt,
      result: store.results.find(token) ?? null,
      evidence: gathered?.evidence ?? null,
      timings: gathered?.timings ?? null,
      evidenceRemovedAt: scan.removed?.evidence ?? null,
    };
    return answerRendered(withEtag(JSON.stringify(body)), request, requestContext);
  }

  function readChecks(request: Request, requestContext: RequestContext): Response {
    return answerRendered(checksBody(checks()), request, requestContext);
  }
}

const bodies = new WeakMap<object, RenderedBody>();

/** Kept until a reload replaces the checks. */
function checksBody(inUse: ReturnType<ReportFilesSettings["checks"]>): RenderedBody {
  const known = bodies.get(inUse);
  if (known !== undefined) return known;
  const { texts, catalog } = inUse;
  const textsOf = (key: string) => Object.fromEntries(locales.map((locale) => [locale, texts.ofCheck(locale, key)]));
  // JSON has no functions, so the code of the built-in checks stays out.
  const checks = catalog.checks.map((check) => ({ ...check, texts: textsOf(check.key) }));
  const body = withEtag(JSON.stringify({ schemaVersion: storedSchemaVersion, version: catalog.version, checks }));
  bodies.set(inUse, body);
  return body;
}
