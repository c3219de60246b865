/** Operations that read scans: the list, the result localised or as stored, and the report as a file. */
import { type Static, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { usableBrand } from "../../agency/brand-operations.ts";
import { efforts, locales, riskLevels, severities, states } from "../../check/check.ts";
import { progressStages, scanErrorCodes } from "../../evidence/scan.ts";
import { brandInFile, type PrintedForm, printedForms, storedExport } from "../../export/export.ts";
import { type ExportFormat, exportFileName, exportFormats, pdfFormat } from "../../export/formats.ts";
import { serverBusy } from "../../judge/result.ts";
import { localLocation } from "../../parse/location.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import { listedScoreOf, scanStatuses } from "../../store/scan-record.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { StoredBrand } from "../../store/site-accounts.ts";
import { bands, ranks, renderFullReport, renderSecurityResult, resultSchemaVersion } from "../../text/render.ts";
import { brandNotFound } from "../agency.ts";
import { answer, prepareHeaders } from "../answer.ts";
import { ApiError, recordNotFound } from "../errors.ts";
import { type Call, forAccounts, operation } from "../operation.ts";
import { invalidListQuery, localeQuery, pageBody } from "../queries.ts";
import { answerPrinted, answerRendered, downloadHeaders, type RenderedBody, withEtag } from "../rendered-bodies.ts";
import { answered, files, notModified, type Responses, refused, retryAfter } from "../responses.ts";
import { bodyOf, ListQuery, LocaleQuery, model, nextCursor, nullable, oneOfValues, open, pageRequestOf, scoreField } from "../schemas.ts";
import type { ChecksInUse } from "../services.ts";
import { queryOf } from "../validation.ts";
import { CheckListSchema, StoredScanSchema, storedSchemaVersion } from "./stored-schemas.ts";

const count = Type.Integer({ minimum: 0 });
export const scanToken = Type.String({ description: "Names the scan; an unguessable word." });
export const scanId = Type.Integer({ description: "Rises from scan to scan." });
const scannedUrl = Type.String({ description: "The scanned URL, in its ASCII form and without fragment." });
export const statusUrl = Type.String({ description: "Relative path of the full report." });
export const status = oneOfValues(scanStatuses);
const progressStage = nullable(oneOfValues(progressStages));
const progressPercent = Type.Integer({ minimum: 0, maximum: 100, description: "100 when finished." });
const score = nullable(scoreField("Null when not measured, never zero in its place."));
/** Location of a scan. */
const location = Type.String({ description: `Where it was scanned from: ${localLocation}, or the name of a location.` });
const ScanListItem = Type.Object({
  token: scanToken,
  id: scanId,
  url: scannedUrl,
  location,
  status,
  statusUrl,
  createdAt: Type.String({ format: "date-time", description: "When it was queued." }),
  endedAt: nullable(Type.String({ format: "date-time", description: "When it finished or failed; null before." })),
  progressStage,
  progressPercent,
  score,
  band: oneOfValues(bands),
  rank: oneOfValues(ranks),
});

const ScanList = model("ScanList", Type.Object({ items: Type.Array(ScanListItem, { description: "Newest first." }), nextCursor }));

const CheckSummary = Type.Object({
  passed: count,
  violated: count,
  notChecked: Type.Integer({ minimum: 0, description: "Checks that could not be run." }),
  notApplicable: Type.Integer({ minimum: 0, description: "Checks that do not apply to the site." }),
  ran: Type.Integer({ minimum: 0, description: "passed + violated" }),
  total: Type.Integer({ minimum: 0, description: "passed + violated + notChecked + notApplicable" }),
});

const CheckRow = Type.Object({
  key: Type.String({ description: "Stable; names the check. Not localised." }),
  state: oneOfValues(states),
  label: Type.String({ description: "Name of the check, localised." }),
  reason: Type.String({ description: "Why it is checked, localised." }),
});

const Finding = Type.Object({
  code: Type.String({ description: "Stable; of the form security.<kind>.<name>. Not localised." }),
  severity: oneOfValues(severities),
  riskLevel: oneOfValues(riskLevels),
  effort: oneOfValues(efforts),
  title: Type.String({ description: "The fact, in a few words, localised." }),
  detail: Type.String({ description: "What was found, localised." }),
  riskStatement: Type.String({ description: "What can happen, localised." }),
  remediation: Type.String({
    description:
      "What to do, localised. Each line after the first is one to paste, after the name of its server or file, or DNS, and a colon.",
  }),
});

const SecurityBlock = Type.Object({
  dimension: Type.Literal("security"),
  measured: Type.Boolean({ description: "False when no score stands behind the block." }),
  score,
  band: oneOfValues(bands),
  rank: oneOfValues(ranks),
  checkSummary: nullable(CheckSummary),
  checks: nullable(Type.Array(CheckRow, { description: "The ledger: complete, or null." })),
  findings: Type.Array(Finding),
});

const securityResultFields = {
  schemaVersion: Type.Integer({ description: `Version of this body; now ${resultSchemaVersion}.` }),
  token: scanToken,
  url: scannedUrl,
  status,
  resultAvailable: Type.Boolean({ description: "Whether checks were run; false for a scan that failed." }),
  scanErrorMessage: nullable(Type.String({ description: `Why the scan failed: one text for each of ${scanErrorCodes.join(", ")}.` })),
  progressStage,
  progressPercent,
  security: nullable(SecurityBlock),
};

const SecurityResultSchema = model("SecurityResult", Type.Object(securityResultFields));

const FullReportSchema = model(
  "FullReport",
  Type.Object({
    ...securityResultFields,
    location,
    algorithmVersion: nullable(Type.Integer({ description: "Scores compare only when this, catalogVersion and basis agree." })),
    catalogVersion: nullable(Type.String({ description: "Hash of the checks and their weights." })),
    basis: nullable(
      Type.Object({
        headerValueCharsMax: Type.Integer({ description: "Longest header value that was read, in characters." }),
        dataDates: Type.Record(Type.String(), Type.String(), {
          description:
            "Date of each data file that the scan used, YYYY-MM-DD, by name of its reading; publicSuffixes only for a list of the operator.",
        }),
        plugins: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: "Hash of the code of each plugin check, by key; absent without plugins.",
          }),
        ),
      }),
    ),
    notChecked: nullable(
      Type.Array(Type.Object({ key: Type.String(), because: Type.String() }), {
        description: `Why each of these rows could not be run. A reading that failed by ${serverBusy} leaves the scan without a score.`,
      }),
    ),
    notMeasuredBecause: nullable(
      Type.String({ description: "Why a finished scan has no score, and what to scan instead, localised. Null with a score." }),
    ),
    heldScore: nullable(
      Type.Object(
        {
          scoreMax: scoreField("Maximum score while these rows have no verdict."),
          rows: Type.Array(
            Type.Object({
              key: Type.String(),
              because: Type.String({ description: "As in notChecked." }),
              remedy: Type.String({ description: "What to do, localised." }),
            }),
          ),
        },
        { description: "Heavy rows that could not be run and so limit the score. Null if none does." },
      ),
    ),
    linesScore: Type.Optional(
      scoreField(
        "Score if the server sent the header fields of the remediations' lines, with their policy enforced: the same checks, all else as scanned.",
      ),
    ),
    policyDraft: Type.Optional(
      Type.Object(
        {
          policy: Type.String({ description: "As linesScore counts it, enforced." }),
          costs: Type.Array(Type.String(), { description: "What it leaves open." }),
          blocks: Type.Object(
            { scripts: Type.Number(), handlers: Type.Number(), origins: Type.Number() },
            {
              description:
                "What it would block: inline scripts, event handlers in attributes, and origins that it cannot name or has no space for.",
            },
          ),
        },
        {
          description:
            "Policy of the remediations' lines, drafted from what the page loaded in one visit. The lines send it as Content-Security-Policy-Report-Only. Absent where no line has it, or the scan saw too little.",
        },
      ),
    ),
    stillChanging: Type.Optional(
      Type.Array(Type.String(), {
        description: "Keys of rows on the content of a page that still changed when it was read. Absent without such rows.",
      }),
    ),
    notes: nullable(Type.Array(Type.String(), { description: "Keys of violated rows without effect on the score." })),
    ledgerCharges: nullable(
      Type.Record(Type.String(), Type.Number(), {
        description: "By key of a violated row: the points that it charges. Each takes one per cent of what is left of 100.",
      }),
    ),
    cwe: nullable(
      Type.Record(Type.String(), Type.String(), { description: "By finding code: the weakness of the CWE list, as in CWE-319." }),
    ),
    ledgerEvidence: nullable(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: "By ledger key: the readings that the verdict rests on, and headers.<name> for header fields.",
      }),
    ),
    timings: nullable(Type.Record(Type.String(), Type.Number(), { description: "Milliseconds by name of probe." })),
    evidence: nullable(
      Type.Record(Type.String(), Type.Unknown(), { description: "What the scan saw: the subject, and a reading for each question." }),
    ),
    evidenceRemovedAt: nullable(
      Type.String({ description: "When evidence and screenshot were removed because of their age, ISO 8601; else null." }),
    ),
  }),
);

/** What the lines of a CSV file are. */
const csvRows = ["findings", "checks"] as const;

/** Whose name, logo and colour a file with a layout shows. */
const fileBrands = ["none", "own"] as const;

const ReportFileQuery = Type.Object(
  {
    ...LocaleQuery.properties,
    csv: Type.Optional(t.UnionEnum(csvRows, { default: csvRows[0], description: "Lines of report.csv." })),
    strict: Type.Optional(
      t.UnionEnum(["false", "true"], { default: "false", description: "Whether rows without a verdict are errors in report.junit.xml." }),
    ),
    detail: Type.Optional(
      t.UnionEnum(printedForms, {
        default: printedForms[0],
        description: "What report.pdf holds: the summary and the serious findings, or everything.",
      }),
    ),
    brand: Type.Optional(
      t.UnionEnum(fileBrands, { default: fileBrands[0], description: "Brand of report.html and report.pdf: that of the account." }),
    ),
  },
  open,
);

export const TokenParams = Type.Object({ token: scanToken });

const ReportFileParams = Type.Object({
  ...TokenParams.properties,
  extension: t.UnionEnum(extensionsOf(exportFormats), { default: undefined, description: "Format of the file." }),
});

function extensionsOf<F extends Readonly<Record<string, ExportFormat>>>(formats: F): [string, ...string[]] {
  const [first = pdfFormat.extension, ...others] = Object.values(formats).map(({ extension }) => extension);
  return [first, ...others, pdfFormat.extension];
}

const ofScans = forAccounts("scans");
export const scansPath = "/api/v1/scans";

/** Retry-After between two polls of an unfinished scan. */
export const pollAgainSeconds = 2;

/** A scan that is over never changes. */
export type EndedScan = ScanRecord & { readonly endedAt: string };

/** Token of a scan in examples. */
export const exampleToken = "67nIDqqCondMLX7iB8bYxR";

export function statusUrlOf(token: string): string {
  return `${scansPath}/${token}`;
}

/**
 * An unknown scan and a scan of another account get the same refusal.
 * @throws ApiError 404
 */
export function ownScan({ account, params, api }: Pick<Call, "account" | "params" | "api">): ScanRecord {
  const scan = api.store.scans.findOfAccount(account.id, params.token ?? "");
  if (scan === undefined) throw recordNotFound("scan");
  return scan;
}

export const noScan: Responses = { 404: refused("There is no such scan, or it is another account's: both answer alike.") };

export function isOver(scan: ScanRecord): scan is EndedScan {
  return scan.status === "finished" || scan.status === "failed";
}

/** @throws ApiError 404, 409 before the end of the scan. */
function endedScan(call: Call): EndedScan {
  const scan = ownScan(call);
  if (isOver(scan)) return scan;
  throw new ApiError(409, "The scan is not over yet; its report can be read then.", { retrySeconds: pollAgainSeconds });
}

const badLocale = { 400: refused("The locale is not one of the two.") };

export const scanList = operation({
  id: "listScans",
  route: "GET /api/v1/scans",
  ...ofScans,
  summary: "List your account's scans, newest first",
  query: queryOf(ListQuery, invalidListQuery, { repeated: "last" }),
  answers: { 200: answered("A page of scans.", ScanList) },
  refusals: { 400: refused("limit or cursor is not valid.") },
  run: ({ account, query, api }) => pageBody(api.store.scans.listOfAccount(account.id, pageRequestOf(query)), listedScan),
});

const scanBody = bodyOf(ScanListItem);

function listedScan(scan: ScanRecord): object {
  return scanBody({ ...scan, ...listedScoreOf(scan.summary), location: scanLocationOf(scan), statusUrl: statusUrlOf(scan.token) });
}

export const scanReads = [
  operation({
    id: "readReport",
    route: "GET /api/v1/scans/{token}",
    params: TokenParams,
    ...ofScans,
    summary: "Read the full report of a scan",
    description: "The security result, and what it was judged from. Retry-After is there while the scan is not over, an ETag once it is.",
    query: localeQuery,
    answers: { 200: answered("The report.", FullReportSchema, retryAfter), ...notModified },
    refusals: { ...badLocale, ...noScan },
    run: ({ query: { locale = locales[0] }, ...call }) => {
      const scan = ownScan(call);
      const { results, evidence } = call.api.store;
      const gathered = evidence.find(scan.token);
      const seen = { evidence: gathered?.evidence ?? null, timings: gathered?.timings ?? null };
      const report = renderFullReport(scan, results.find(scan.token) ?? null, seen, locale, call.api.checks().texts);
      return answerScan(scan, withEtag(JSON.stringify(report)), call);
    },
  }),
  operation({
    id: "readSecurity",
    route: "GET /api/v1/scans/{token}/security",
    params: TokenParams,
    ...ofScans,
    summary: "Read the security dimension of a scan",
    description: "While the scan is queued or running, security is null. Retry-After is there while it is not over, an ETag once it is.",
    query: localeQuery,
    answers: { 200: answered("The security result.", SecurityResultSchema, retryAfter), ...notModified },
    refusals: { ...badLocale, ...noScan },
    run: ({ query: { locale = locales[0] }, ...call }) => {
      const scan = ownScan(call);
      const { store, checks, scanBodies } = call.api;
      const result = () => renderSecurityResult(scan, store.results.find(scan.token) ?? null, locale, checks().texts);
      const render = () => withEtag(JSON.stringify(result()));
      return answerScan(scan, isOver(scan) ? scanBodies.get(`${scan.token} ${locale}`, render) : render(), call);
    },
  }),
  operation({
    id: "readStored",
    route: "GET /api/v1/scans/{token}/result",
    params: TokenParams,
    ...ofScans,
    summary: "Read the result of a scan as it is stored",
    description: "Codes and values, to be shown with the texts of the checks: what `assay scan --server` makes its reports from.",
    answers: { 200: answered("The result.", model("StoredScan", StoredScanSchema)), ...notModified },
    refusals: { ...noScan, 409: refused("The scan is not over.", undefined, undefined, retryAfter) },
    run: (call) => {
      const scan = endedScan(call);
      const { token, url, status, errorCode, endedAt } = scan;
      const { results, evidence } = call.api.store;
      const gathered = evidence.find(token);
      const body = {
        schemaVersion: storedSchemaVersion,
        token,
        url,
        location: scanLocationOf(scan),
        status,
        errorCode,
        endedAt,
        result: results.find(token) ?? null,
        evidence: gathered?.evidence ?? null,
        timings: gathered?.timings ?? null,
        evidenceRemovedAt: scan.removed?.evidence ?? null,
      };
      return answerRendered(withEtag(JSON.stringify(body)), call);
    },
  }),
];

export const checkList = operation({
  id: "readChecks",
  route: "GET /api/v1/checks",
  ...ofScans,
  summary: "Read all checks with their texts",
  description: "The checks that judge on this appliance, plugins included, in both languages.",
  answers: { 200: answered("The checks.", model("CheckList", CheckListSchema)), ...notModified },
  run: (call) => answerRendered(checksBody(call.api.checks()), call),
});

const unfinishedHeaders = prepareHeaders({ "retry-after": String(pollAgainSeconds) });

/** An ended scan never changes, so it gets an ETag; any other gets Retry-After. */
function answerScan(scan: ScanRecord, body: RenderedBody, call: Pick<Call, "request" | "requestContext">): Response {
  return isOver(scan) ? answerRendered(body, call) : answer(call.requestContext, 200, body.text, unfinishedHeaders);
}

const checkBodies = new WeakMap<object, RenderedBody>();

/** Kept until a reload replaces the checks. */
function checksBody(inUse: ReturnType<ChecksInUse>): RenderedBody {
  const known = checkBodies.get(inUse);
  if (known !== undefined) return known;
  const { texts, catalog } = inUse;
  const textsOf = (key: string) => Object.fromEntries(locales.map((locale) => [locale, texts.ofCheck(locale, key)]));
  // JSON has no functions, so the code of the built-in checks stays out.
  const checks = catalog.checks.map((check) => ({ ...check, texts: textsOf(check.key) }));
  const body = withEtag(JSON.stringify({ schemaVersion: storedSchemaVersion, version: catalog.version, checks }));
  checkBodies.set(inUse, body);
  return body;
}

const reportFormats: readonly ExportFormat[] = Object.values(exportFormats);
const allFormats = [...reportFormats, pdfFormat];

/** One operation for all formats, each of which is a route of its own. */
export const reportFile = operation({
  id: "readReportFile",
  route: "GET /api/v1/scans/{token}/report.{extension}",
  params: ReportFileParams,
  ...ofScans,
  summary: "Read the report of a scan as a file",
  description:
    "A download with an ETag. Its findings are in the order in which to fix them. A PDF is printed for its request, one at a time.",
  query: queryOf(ReportFileQuery, invalidReportQuery, { repeated: "refused" }),
  answers: { 200: { description: "The file.", content: files(...allFormats.map(({ mediaType }) => mediaType)) }, ...notModified },
  refusals: {
    400: refused("A parameter is not valid."),
    404: refused("There is no such scan or format, or the scan is another account's."),
    409: refused(
      "The scan is not over; it measured nothing that this format could say; or the account has no brand.",
      undefined,
      undefined,
      retryAfter,
    ),
    503: refused("Of report.pdf: the browser that prints is busy, or could not print it.", undefined, undefined, retryAfter),
  },
  run: ({ query, ...call }) => {
    const scan = endedScan(call);
    const format = reportFormats.find(({ extension }) => extension === call.params.extension);
    if (format !== undefined) return answerRendered(fileOf(format, scan, query, call), call);
    return answerPrinted(
      fileOf(exportFormats.html, scan, query, call, query.detail ?? "short"),
      exportFileName(scan, pdfFormat.extension),
      call,
    );
  },
});

function fileOf(
  { extension, mediaType, write }: ExportFormat,
  scan: EndedScan,
  { locale = locales[0], csv = csvRows[0], strict = "false", brand: whose = fileBrands[0] }: Static<typeof ReportFileQuery>,
  { account, api }: Call,
  printed: PrintedForm = "full",
): RenderedBody {
  const { store, checks, version, config, scanBodies } = api;
  const brand = whose === "own" ? usableBrand(store, account) : null;
  if (brand === undefined) throw brandNotFound(409);
  // Evidence expires before its scan, and must not be given from the cache then.
  const hasEvidence = store.evidence.has(scan.token);
  const key = [scan.token, extension, locale, csv, strict, printed, hasEvidence, brand === null ? "" : brandKey(brand)].join(" ");
  return scanBodies.get(key, () => {
    const { texts, catalog } = checks();
    const text = write([storedExport(scan, store, catalog.checks)], {
      locale,
      texts,
      checks: catalog.checks,
      version,
      origin: config.public_url,
      csvRows: csv,
      strict: strict === "true",
      sarifAnchor: null,
      brand: brand === null ? null : brandInFile(brand),
      printed,
    });
    if (text === null) throw nothingToReport(extension);
    return withEtag(text, downloadHeaders(mediaType, exportFileName(scan, extension)));
  });
}

/** The brand of an account may change at any time, unlike a scan that is over. */
function brandKey(brand: StoredBrand): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(brand)).digest("base64");
}

function nothingToReport(extension: string): ApiError {
  return new ApiError(
    409,
    `The page could not be measured, so there is nothing to write to report.${extension}; report.json has the reason.`,
  );
}

function invalidReportQuery(): ApiError {
  return new ApiError(
    400,
    `locale must be one of ${locales.join(", ")}, csv one of ${csvRows.join(", ")}, strict true or false, detail one of ${printedForms.join(", ")}, and brand one of ${fileBrands.join(", ")}; each may be given once.`,
  );
}

/** Any name of a report file, known or not. */
const reportFilePath = new RegExp(`^${scansPath}/[^/]+/report(?:\\.[^/]*)?$`);

/** Refusal that names the formats, for a path like the path of a report file. Null for other paths. */
export function unknownReportFormat(path: string): ApiError | null {
  if (!reportFilePath.test(path)) return null;
  return new ApiError(404, `There is no such report; there are ${allFormats.map(({ extension }) => `report.${extension}`).join(", ")}.`);
}
