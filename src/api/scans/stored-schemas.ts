/** Bodies of the stored form: validated by `assay scan --server`, and described by OpenAPI. */
import { Type } from "@sinclair/typebox";
import { efforts, riskLevels, severities, states } from "../../check/check.ts";
import { orNull } from "../../evidence/fields.ts";
import { bands, ranks } from "../../text/render.ts";

/** Rises when a field of these bodies changes or is removed, but not for a new field. */
export const storedSchemaVersion = 1;

const oneOfValues = <T extends string>(values: readonly T[]) => Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))));
const schemaVersion = Type.Integer({ minimum: 1, description: `Version of this body; now ${storedSchemaVersion}.` });
const points = Type.Number({ minimum: 0 });

const StoredResultSchema = Type.Object(
  {
    algorithmVersion: Type.Integer(),
    catalogVersion: Type.String(),
    basis: Type.Optional(
      Type.Object(
        {
          headerValueCharsMax: Type.Integer(),
          dataDates: Type.Record(Type.String(), Type.String()),
          plugins: Type.Optional(Type.Record(Type.String(), Type.String())),
        },
        { description: "As in FullReport." },
      ),
    ),
    measured: Type.Boolean(),
    score: orNull(Type.Number({ minimum: 0, maximum: 100 })),
    band: oneOfValues(bands),
    rank: oneOfValues(ranks),
    ledger: Type.Array(
      Type.Object({
        key: Type.String(),
        state: oneOfValues(states),
        weight: Type.Optional(points),
        charged: Type.Optional(points),
        evidence: Type.Array(Type.String()),
        notCheckedBecause: Type.Optional(Type.String()),
        scoreMax: Type.Optional(Type.Integer({ description: "Maximum score by the part of a cut policy that was read." })),
        readDirectives: Type.Optional(Type.String({ description: "Directives of that part that decide." })),
        stillChanging: Type.Optional(Type.Boolean({ description: "Whether the document still changed when it was read." })),
      }),
    ),
    findings: Type.Array(
      Type.Object({
        code: Type.String(),
        checkKey: Type.String(),
        severity: oneOfValues(severities),
        riskLevel: oneOfValues(riskLevels),
        effort: oneOfValues(efforts),
        values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
          description: "What its texts quote, by placeholder.",
        }),
      }),
    ),
    lines: Type.Optional(
      Type.Object({
        score: Type.Integer({ minimum: 0, maximum: 100, description: "Score with the headers that lines of the report set." }),
        codes: Type.Array(Type.String({ description: "Finding whose lines are counted." })),
      }),
    ),
    draft: Type.Optional(
      Type.Object(
        {
          policy: Type.String(),
          costs: Type.Array(Type.String()),
          blocks: Type.Object({ scripts: Type.Integer(), handlers: Type.Integer(), origins: Type.Integer() }),
        },
        { description: "As policyDraft in FullReport, also where no line has it." },
      ),
    ),
  },
  { description: "Codes and values, without texts." },
);

export const StoredScanSchema = Type.Object({
  schemaVersion,
  token: Type.String(),
  url: Type.String(),
  location: Type.Optional(Type.String({ description: "Where it was scanned from, as in FullReport." })),
  status: oneOfValues(["finished", "failed"]),
  errorCode: orNull(Type.String({ description: "Code of a scan that failed, else null." })),
  endedAt: Type.String({ description: "ISO 8601, UTC." }),
  result: orNull(StoredResultSchema),
  evidence: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: "Null after its retention time, and for some failed scans." }),
  ),
  timings: orNull(Type.Record(Type.String(), Type.Number())),
  evidenceRemovedAt: Type.Optional(orNull(Type.String({ description: "As in FullReport." }))),
});

const Texts = Type.Record(Type.String(), Type.Unknown());

export const CheckListSchema = Type.Object({
  schemaVersion,
  version: Type.String({ description: "The catalogVersion of results of these checks." }),
  checks: Type.Array(
    Type.Object(
      {
        key: Type.String(),
        weight: Type.Number({ description: "Points that a violation charges; 0 for a note." }),
        findings: Type.Record(Type.String(), Type.Unknown(), {
          description: "By code: severity, riskLevel, effort and, if it has them, weight, scoreCap and cwe.",
        }),
        texts: Type.Object(
          { "en-gb": Texts, "de-de": Texts },
          { description: "Label, reason and texts of the findings, with placeholders in double braces." },
        ),
      },
      { description: "As the check declares itself; other fields belong to its plugin API." },
    ),
  ),
});
