/** Measures the writers of the export formats, beside the plain serialisation of the same report. */
import type { FindingDefinition } from "../../src/check/check.ts";
import type { ExportedScan, ExportSettings } from "../../src/export/export.ts";
import { exportFormats } from "../../src/export/formats.ts";
import type { LedgerRow, StoredFinding } from "../../src/judge/result.ts";
import { renderFullReport } from "../../src/text/render.ts";
import { exportedScan, exportSettings } from "../support/exported-scans.ts";
import { poisonedScan } from "../support/poisoned-scan.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

const allFormatsMsMax = 50;
/** Rounds until the code is compiled and the templates of the texts are parsed. */
const warmUpRounds = 5;
/** Typical length of a quoted header value. */
const valueChars = 100;

export function benchExports({ rounds }: { readonly rounds: number }): readonly Row[] {
  const settings = exportSettings();
  const fullest = measured(exportedScan(poisonedScan()), settings, rounds);
  const sum = spreadOf(fullest.sums);
  const baseline = spreadOf(fullest.baselines);
  return [
    ...[...fullest.formats].map(([name, { series, bytes }]): Row => {
      return { name: `export ${name}`, unit: "ms", measured: spreadOf(series), note: `${Math.round(bytes / 1_024)} KB` };
    }),
    {
      name: "export, all formats",
      unit: "ms",
      measured: sum,
      baseline,
      target: { text: `at most ${allFormatsMsMax} ms`, met: sum.median <= allFormatsMsMax },
      note: "nearly every finding that one page can have, with long values; baseline: the report rendered and serialised as JSON",
    },
    { name: "export, all to JSON", unit: "ratio", measured: spreadOf(fullest.sums.map((ms, at) => ms / (fullest.baselines[at] ?? ms))) },
    {
      name: "export, whole catalog",
      unit: "ms",
      measured: spreadOf(measured(wholeCatalog(settings), settings, rounds).sums),
      note: "all formats with every finding of the catalog at once, which no page can have",
    },
  ];
}

interface Measured {
  readonly formats: ReadonlyMap<string, { readonly series: number[]; readonly bytes: number }>;
  /** Milliseconds of all formats together, by round. */
  readonly sums: readonly number[];
  readonly baselines: readonly number[];
}

function measured(scan: ExportedScan, settings: ExportSettings, rounds: number): Measured {
  const { scan: record, result, evidence, timings } = scan;
  const serialise = () => JSON.stringify(renderFullReport(record, result, { evidence, timings }, settings.locale, settings.texts));
  const entries = Object.entries(exportFormats).map(([name, { write }]) => {
    const run = () => write([scan], settings);
    return { name, run, series: [] as number[], bytes: Buffer.byteLength(run() ?? "") };
  });
  const [sums, baselines]: [number[], number[]] = [[], []];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const baselineMs = timed(serialise);
    const times = entries.map(({ run }) => timed(run));
    if (round < 0) continue;
    baselines.push(baselineMs);
    sums.push(times.reduce((sum, ms) => sum + ms, 0));
    for (const [at, { series }] of entries.entries()) series.push(times[at] ?? 0);
  }
  return { formats: new Map(entries.map(({ name, series, bytes }) => [name, { series, bytes }])), sums, baselines };
}

function timed(run: () => unknown): number {
  const beganMs = performance.now();
  run();
  return performance.now() - beganMs;
}

/** Every check violated by each of its findings, with a value for each placeholder. */
function wholeCatalog({ checks, texts }: ExportSettings): ExportedScan {
  const bare = exportedScan("bare");
  const findings: readonly StoredFinding[] = checks.flatMap(({ key, findings }) =>
    Object.entries<FindingDefinition>(findings).map(([code, { severity, riskLevel, effort }]) => {
      const names = JSON.stringify(texts.ofCheck("en-gb", key)?.findings[code]).matchAll(/\{\{(\w+)\}\}/g);
      const values = Object.fromEntries([...names].map(([, name = ""]) => [name, "v".repeat(valueChars)]));
      return { code, checkKey: key, severity, riskLevel, effort, values };
    }),
  );
  const ledger: readonly LedgerRow[] = checks.map(({ key, weight }) => ({
    key,
    state: "violated",
    weight,
    charged: weight,
    evidence: ["page"],
  }));
  return { ...bare, result: bare.result && { ...bare.result, findings, ledger } };
}
