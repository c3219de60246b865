/** Bodies and parameters of operations on scans. */
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { efforts, riskLevels, severities, states } from "../../check/check.ts";
import { progressStages, scanErrorCodes } from "../../evidence/scan.ts";
import { type ExportFormat, exportFormats, pdfFormat } from "../../export/formats.ts";
import { localLocation } from "../../parse/location.ts";
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { scanStatuses } from "../../store/scan-record.ts";
import { bands, ranks, resultSchemaVersion } from "../../text/render.ts";
import { entriesAlone, LocaleQuery, model, nullable, oneOfValues, open, worded } from "../schemas.ts";

const count = Type.Integer({ minimum: 0 });
const scanToken = Type.String({ description: "Names the scan; an unguessable word." });
const scanId = Type.Integer({ description: "Rises from scan to scan." });
const scannedUrl = Type.String({ description: "The scanned URL, in its ASCII form and without fragment." });
const statusUrl = Type.String({ description: "Relative path of the full report." });
const status = oneOfValues(scanStatuses);
const progressStage = nullable(oneOfValues(progressStages));
const progressPercent = Type.Integer({ minimum: 0, maximum: 100, description: "100 when finished." });
const score = nullable(Type.Integer({ minimum: 0, maximum: 100, description: "Null when not measured, never zero in its place." }));
const wantedLocation = Type.Optional(
  Type.String({
    description: `Where to scan from: ${localLocation}, this appliance itself, when omitted, or a location of its workers. One that it does not know is refused.`,
  }),
);
/** Location of a scan. */
const location = Type.String({ description: `Where it was scanned from: ${localLocation}, or the name of a location.` });
export const ScanRequest = model(
  "ScanRequest",
  Type.Object(
    {
      url: Type.String({
        description: `Absolute http or https URL without credentials, at most ${scanUrlCharsMax} characters. Its fragment is dropped.`,
        examples: ["https://site.example/"],
      }),
      location: wantedLocation,
    },
    open,
  ),
);

export const ScanStarted = model(
  "ScanStarted",
  Type.Object({
    token: scanToken,
    id: scanId,
    status,
    statusUrl,
  }),
);

/** URLs of one request. */
export const bulkUrlsMax = 1_000;

export const BulkRequest = model(
  "BulkRequest",
  Type.Object({
    urls: worded(
      entriesAlone(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: bulkUrlsMax,
          description: `1 to ${bulkUrlsMax} URLs, each as \`url\` of ScanRequest. Equal ones share one scan.`,
          examples: [["https://site.example/", "https://other.example/"]],
        }),
      ),
      { wrong: "must be a list of URLs", min: "must have at least one URL", max: `must have at most ${bulkUrlsMax} URLs` },
    ),
    location: wantedLocation,
  }),
);

const BulkItem = Type.Object({
  index: Type.Integer({ minimum: 0, description: "Place of the line in urls, from 0." }),
  url: nullable(Type.String({ description: "The URL in its ASCII form and without fragment. Null if it is not valid." })),
  status: Type.Optional(Type.Literal("queued")),
  token: Type.Optional(scanToken),
  id: Type.Optional(scanId),
  statusUrl: Type.Optional(statusUrl),
  error: Type.Optional(
    Type.Object(
      {
        status: Type.Integer({ minimum: 400, maximum: 599, description: "Status that a request with this line alone would get." }),
        errorMessage: Type.String({ description: "For people; its wording may change." }),
      },
      { description: "Why no scan was started for this line. The other fields of a scan are absent then." },
    ),
  ),
});

export const BulkStarted = model(
  "BulkStarted",
  Type.Object({
    items: Type.Array(BulkItem, { description: "One for each line, in the order of urls." }),
  }),
);

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

export const ScanList = model(
  "ScanList",
  Type.Object({
    items: Type.Array(ScanListItem, { description: "Newest first." }),
    nextCursor: nullable(Type.String({ description: "Hand it back as `cursor` for the page after this one; null on the last." })),
  }),
);

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

export const SecurityResultSchema = model("SecurityResult", Type.Object(securityResultFields));

export const FullReportSchema = model(
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
      }),
    ),
    notChecked: nullable(
      Type.Array(Type.Object({ key: Type.String(), because: Type.String() }), { description: "Why each of these rows could not be run." }),
    ),
    notMeasuredBecause: nullable(
      Type.String({ description: "Why a finished scan has no score, and what to scan instead, localised. Null with a score." }),
    ),
    heldScore: nullable(
      Type.Object(
        {
          scoreMax: Type.Integer({ minimum: 0, maximum: 100, description: "Maximum score while these rows have no verdict." }),
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
export const csvRows = ["findings", "checks"] as const;

/** Whose name, logo and colour a file with a layout shows. */
export const fileBrands = ["none", "own"] as const;

export const ReportFileQuery = Type.Object(
  {
    ...LocaleQuery.properties,
    csv: Type.Optional(t.UnionEnum(csvRows, { default: csvRows[0], description: "Lines of report.csv." })),
    strict: Type.Optional(
      t.UnionEnum(["false", "true"], { default: "false", description: "Whether rows without a verdict are errors in report.junit.xml." }),
    ),
    brand: Type.Optional(
      t.UnionEnum(fileBrands, { default: fileBrands[0], description: "Brand of report.html and report.pdf: that of the account." }),
    ),
  },
  open,
);

export const TokenParams = Type.Object({ token: scanToken });

export const ReportFileParams = Type.Object({
  ...TokenParams.properties,
  extension: t.UnionEnum(extensionsOf(exportFormats), { default: undefined, description: "Format of the file." }),
});

function extensionsOf<F extends Readonly<Record<string, ExportFormat>>>(formats: F): [string, ...string[]] {
  const [first = pdfFormat.extension, ...others] = Object.values(formats).map(({ extension }) => extension);
  return [first, ...others, pdfFormat.extension];
}
