/** The specification's tables as data: every body is compared field by field (names, order, types, nullability). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { storedResult } from "../../support/stored.ts";

/** Types as in the specification, joined by "or"; `object:<table>` and `array:<table>` refer to a table. */
type Table = Readonly<Record<string, string>>;

const tables = {
  "2.1": { token: "string", id: "integer", status: "string", statusUrl: "string" },
  "2.2": {
    schemaVersion: "integer",
    token: "string",
    url: "string",
    status: "string",
    resultAvailable: "boolean",
    scanErrorMessage: "string or null",
    progressStage: "string or null",
    progressPercent: "integer",
    security: "object:2.3 or null",
  },
  "2.3": {
    dimension: "string",
    measured: "boolean",
    score: "integer or null",
    band: "string",
    rank: "string",
    checkSummary: "object:checkSummary or null",
    checks: "array:checks or null",
    findings: "array:findings",
  },
  checkSummary: {
    passed: "integer",
    violated: "integer",
    notChecked: "integer",
    notApplicable: "integer",
    ran: "integer",
    total: "integer",
  },
  checks: { key: "string", state: "string", label: "string", reason: "string" },
  findings: {
    code: "string",
    severity: "string",
    riskLevel: "string",
    effort: "string",
    title: "string",
    detail: "string",
    riskStatement: "string",
    remediation: "string",
  },
} satisfies Record<string, Table>;

const bands = ["good", "warn", "poor", "unknown"];
const ranks = ["excellent", "strong", "solid", "fair", "weak", "bad", "critical", "unknown"];
const states = ["passed", "violated", "notChecked", "notApplicable"];
const statuses = ["queued", "running", "finished", "failed"];

/** One line for each field that deviates from the table. */
function deviations(name: keyof typeof tables, value: unknown, path: string = name): readonly string[] {
  const table: Table = tables[name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no object`];
  const names = Object.keys(value);
  const expected = Object.keys(table);
  if (names.join() !== expected.join()) return [`${path} has the fields ${names.join()} and should have ${expected.join()}`];
  return Object.entries(table).flatMap(([field, types]) => {
    const given: unknown = (value as Record<string, unknown>)[field];
    const tried = types.split(" or ").map((type) => deviationsFrom(type, given, `${path}.${field}`));
    return tried.some((faults) => faults.length === 0) ? [] : (tried.find((faults) => faults.length > 0) ?? []);
  });
}

function deviationsFrom(type: string, value: unknown, path: string): readonly string[] {
  const [kind = "", table] = type.split(":") as [string, keyof typeof tables];
  const fits: Record<string, () => boolean> = {
    string: () => typeof value === "string",
    integer: () => Number.isInteger(value),
    boolean: () => typeof value === "boolean",
    null: () => value === null,
    object: () => typeof value === "object" && value !== null,
    array: () => Array.isArray(value),
  };
  if (fits[kind]?.() !== true) return [`${path} is ${JSON.stringify(value)} and should be ${type}`];
  if (kind === "object") return deviations(table, value, path);
  if (kind === "array") return (value as unknown[]).flatMap((entry, at) => deviations(table, entry, `${path}[${at}]`));
  return [];
}

interface Body {
  readonly status: string;
  readonly resultAvailable: boolean;
  readonly scanErrorMessage: string | null;
  readonly progressStage: string | null;
  readonly progressPercent: number;
  readonly security: {
    readonly measured: boolean;
    readonly score: number | null;
    readonly band: string;
    readonly rank: string;
    readonly checkSummary: Record<string, number> | null;
    readonly checks: readonly { readonly state: string; readonly key: string }[] | null;
    readonly findings: readonly { readonly code: string }[];
  } | null;
}

let api: ApiUnderTest;
let token: string;

beforeAll(async () => {
  api = await startApi({ requestLimit: { requestsMax: 1_000, windowSeconds: 60 } });
  ({ token } = await api.customer());
});
afterAll(() => api.stop());

async function read(scanToken: string, locale?: string): Promise<Body> {
  const path = `/api/v1/scans/${scanToken}/security${locale === undefined ? "" : `?locale=${locale}`}`;
  const response = await api.request(path, { token });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

/** Rules of the specification for the values of every scan. */
function expectSpecified(body: Body): void {
  expect(deviations("2.2", body)).toEqual([]);
  expect(statuses).toContain(body.status);
  const { security } = body;
  if (security === null) return;
  expect(bands).toContain(security.band);
  expect(ranks).toContain(security.rank);
  if (security.score !== null) expect(security.score >= 0 && security.score <= 100).toBe(true);
  expect(security.measured).toBe(security.score !== null);
  expect(security.checks === null).toBe(security.checkSummary === null);
  for (const check of security.checks ?? []) expect(states).toContain(check.state);
  for (const finding of security.findings) expect(finding.code).toMatch(/^security\.[a-z0-9-]+\.[a-z0-9-]+$/);
  if (security.checks !== null && security.checkSummary !== null) {
    const count = (state: string) => security.checks?.filter((check) => check.state === state).length;
    for (const state of states) expect(security.checkSummary[state]).toBe(count(state));
    expect(security.checkSummary.total).toBe(security.checks.length);
    expect(security.checkSummary.ran).toBe((security.checkSummary.passed ?? 0) + (security.checkSummary.violated ?? 0));
  }
}

describe("every body matches the tables", () => {
  test("2.1: a started scan", async () => {
    const started = await api.start(token);
    expect(deviations("2.1", started)).toEqual([]);
    expect(started.status).toBe("queued");
    expect(started.statusUrl).toBe(`/api/v1/scans/${started.token}`);
    await api.finish();
  });
  test("2.2: queued", async () => {
    const started = await api.start(token);
    const body = await read(started.token);
    expectSpecified(body);
    expect(body).toMatchObject({ status: "queued", resultAvailable: false, progressStage: null, progressPercent: 0, security: null });
    await api.finish();
  });
  test("2.2: running", async () => {
    const started = await api.start(token);
    const scan = await api.claim();
    await api.store.scans.setProgress(scan.token, "browsing", 20);
    const body = await read(started.token);
    expectSpecified(body);
    expect(body).toMatchObject({
      status: "running",
      resultAvailable: false,
      progressStage: "browsing",
      progressPercent: 20,
      security: null,
    });
    await api.store.scans.fail(scan.token, { code: "crashed", evidence: null, timings: {}, now: new Date() });
  });
  for (const locale of ["en-gb", "de-de"]) {
    test(`2.2 and 2.3: finished, in ${locale}`, async () => {
      const started = await api.start(token);
      await api.finish();
      const body = await read(started.token, locale);
      expectSpecified(body);
      expect(body).toMatchObject({
        status: "finished",
        resultAvailable: true,
        scanErrorMessage: null,
        progressStage: null,
        progressPercent: 100,
      });
      expect(body.security?.checks).toHaveLength(4);
      expect(body.security?.findings).toHaveLength(1);
    });
  }
  test("2.3: finished, and not measured", async () => {
    const started = await api.start(token);
    await api.finish({ ...storedResult(), measured: false, score: null, band: "unknown", rank: "unknown" });
    const body = await read(started.token);
    expectSpecified(body);
    expect(body.security).toMatchObject({ measured: false, score: null, band: "unknown", rank: "unknown" });
  });
  test("2.3: finished with a score of zero is measured", async () => {
    const started = await api.start(token);
    await api.finish({ ...storedResult(), score: 0, band: "poor", rank: "critical" });
    expectSpecified(await read(started.token));
  });
  test("2.3: failed", async () => {
    const started = await api.start(token);
    await api.fail("unresolved");
    const body = await read(started.token, "de-de");
    expectSpecified(body);
    expect(body).toMatchObject({
      status: "failed",
      resultAvailable: false,
      scanErrorMessage: "Der Name site.example hat keine IP-Adresse im DNS, daher war keine Verbindung m\u00f6glich.",
      progressStage: null,
      security: { measured: false, score: null, checkSummary: null, checks: null, findings: [] },
    });
  });
  test("4.2: keys, codes and states do not depend on the locale; en-gb is the default", async () => {
    const started = await api.start(token);
    await api.finish();
    const [silent, english, german] = [await read(started.token), await read(started.token, "en-gb"), await read(started.token, "de-de")];
    expect(silent).toEqual(english);
    const stable = ({ security }: Body) => [
      security?.checks?.map(({ key, state }) => [key, state]),
      security?.findings.map(({ code }) => code),
      security?.score,
    ];
    expect(stable(german)).toEqual(stable(english));
    expect(german).not.toEqual(english);
  });
});

test("the comparison reports deviations", () => {
  const good = { key: "a", state: "passed", label: "b", reason: "c" };
  expect(deviations("checks", good)).toEqual([]);
  expect(deviations("checks", { ...good, label: null })).toEqual(["checks.label is null and should be string"]);
  expect(deviations("checks", { ...good, extra: 1 })).toHaveLength(1);
  expect(deviations("checks", { state: "passed", key: "a", label: "b", reason: "c" })).toHaveLength(1);
  expect(deviations("2.1", { token: "t", id: 1.5, status: "queued", statusUrl: "/" })).toHaveLength(1);
});
