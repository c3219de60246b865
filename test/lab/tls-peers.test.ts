/**
 * Compares the TLS rows with testssl.sh and sslscan on many server configurations, and prints the table.
 * Outside the suite `peers`, testssl.sh sees only every third of them: it takes a core for several seconds each.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { builtInChecks } from "../../checks/index.ts";
import { openEgress } from "../../src/egress/dial.ts";
import { type Evidence, failed } from "../../src/evidence/evidence.ts";
import { readingNames } from "../../src/evidence/facts.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { probeTls } from "../../src/probe/tls/tls.ts";
import { probeTlsOffers } from "../../src/probe/tls/tls-offers.ts";
import { subjectOf } from "../../src/scan/task.ts";
import { testAuthority } from "../support/certificates.ts";
import { isFullTest } from "../support/random-runs.ts";
import { egressTo } from "../support/servers.ts";
import { type PeerConfiguration, peerConfigurations } from "./tls-peer-configurations.ts";
import { labHost, type RunningServer } from "./tls-site.ts";
import { type Claims, sslscanClaims, testsslClaims } from "./tls-tools.ts";

/** testssl.sh uses a whole core. */
const configurationsAtOnce = 2;
const allMsMax = 1_800_000;
const configurationsMin = isFullTest ? 20 : 7;
const testsslConfigurations = new Set(peerConfigurations.filter(({ testssl }, at) => testssl !== null && (isFullTest || at % 3 === 0)));

interface Comparison {
  readonly name: string;
  /** States of the TLS rows, without the prefix. */
  readonly rows: Readonly<Record<string, string>>;
  readonly codes: readonly string[];
  readonly hybridGroup: string | null;
  readonly tools: Readonly<Record<"sslscan" | "testssl.sh", Claims>>;
}

describe("TLS rows beside testssl.sh and sslscan", () => {
  const comparisons = new Map<string, Comparison>();

  beforeAll(async () => {
    const waiting = [...peerConfigurations];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) comparisons.set(next.name, await compare(next));
    };
    await Promise.all(Array.from({ length: configurationsAtOnce }, work));
    console.log(tableOf([...comparisons.values()]));
  }, allMsMax);

  test(`both tools judge at least ${configurationsMin} configurations`, () => {
    const withBoth = [...comparisons.values()].filter(({ tools }) =>
      Object.values(tools).every((claims) => Object.keys(claims).length > 0),
    );
    expect(withBoth.length).toBeGreaterThanOrEqual(configurationsMin);
  });

  test.each(peerConfigurations.map(({ name }) => name))("%s", (name) => {
    const comparison = comparisons.get(name);
    expect(comparison === undefined ? ["not compared"] : contradictions(comparison)).toEqual([]);
  });

  test("X25519MLKEM768 is found, which the tools do not know", () => {
    const found = [...comparisons.values()].filter(({ hybridGroup }) => hybridGroup !== null).map(({ name }) => name);
    expect(found).toEqual(["by hand, X25519MLKEM768"]);
  });
});

async function compare(configuration: PeerConfiguration): Promise<Comparison> {
  const { name, host = labHost, serve } = configuration;
  const testssl = testsslConfigurations.has(configuration) ? configuration.testssl : null;
  const server = await serve();
  try {
    const { rows, codes, hybridGroup } = await judge(host, server);
    const target = { host, port: server.port };
    const tools = { sslscan: await sslscanClaims(target), "testssl.sh": testssl === null ? {} : await testsslClaims(target, testssl) };
    return { name, rows, codes, hybridGroup, tools };
  } finally {
    await server.stop();
  }
}

/** The TLS rows without a browser, so that the suite that it negotiates is unknown. */
async function judge(host: string, server: RunningServer): Promise<Pick<Comparison, "rows" | "codes" | "hybridGroup">> {
  const egress = openEgress(egressTo({ [`${host}:443`]: server }));
  try {
    const context = { egress, signal: AbortSignal.timeout(30_000) };
    const tls = await probeTls({ ...context, host, port: 443, caPems: [testAuthority().root.pem] });
    const tlsOffers = tls.status === "read" ? await probeTlsOffers({ ...context, tls: tls.facts }) : failed("not-asked");
    const unread = Object.fromEntries(readingNames.map((reading) => [reading, failed("not-asked")]));
    const evidence = { ...unread, subject: subjectOf(`https://${host}/`, new Date().toISOString()), tls, tlsOffers } as unknown as Evidence;
    const checks = builtInChecks.filter(({ key }) => key.startsWith("tls-"));
    const { ledger, findings } = judgeEvidence(evidence, { checks, version: "lab" }, () => {});
    return {
      rows: Object.fromEntries(ledger.map(({ key, state }) => [key.replace("tls-", ""), state])),
      codes: findings.map(({ code }) => code),
      hybridGroup: tlsOffers.status === "read" ? tlsOffers.facts.hybrid.group : null,
    };
  } finally {
    egress.close();
  }
}

/** Rows with a verdict that differs from a tool's. A row that is not checked contradicts no tool. */
function contradictions({ rows, tools }: Comparison): readonly string[] {
  return Object.entries(tools).flatMap(([tool, claims]) =>
    Object.entries(claims)
      .filter(([row, state]) => rows[row] !== state && rows[row] !== "notChecked")
      .map(([row, state]) => `${row} is ${rows[row]}, but ${state} by ${tool}`),
  );
}

const marks: Readonly<Record<string, string>> = { passed: "+", violated: "-", notChecked: "?" };

/** A line for each configuration; each cell has the marks of assay, sslscan and testssl.sh. */
function tableOf(comparisons: readonly Comparison[]): string {
  const keys = [...new Set(comparisons.flatMap(({ tools }) => Object.values(tools).flatMap(Object.keys)))];
  const order = comparisons.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const lines = order.map(({ name, rows, tools }) => {
    const cells = keys.map((key) =>
      [rows[key], tools.sslscan[key], tools["testssl.sh"][key]].map((state) => marks[state ?? ""] ?? " ").join(""),
    );
    return `${name.padEnd(40)} ${cells.map((cell, at) => cell.padEnd(keys[at]?.length ?? 0)).join("  ")}`;
  });
  const verdicts = comparisons.flatMap(({ tools }) => Object.values(tools).flatMap((claims) => Object.keys(claims))).length;
  return [
    "Marks of assay, sslscan and testssl.sh: + passed, - violated, ? not checked",
    `${"".padEnd(40)} ${keys.join("  ")}`,
    ...lines,
    `${comparisons.length} configurations, ${verdicts} verdicts of tools`,
  ].join("\n");
}
