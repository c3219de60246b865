/** Visits of proofs, as workers pack them and as a hostile or broken worker sends them. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { evidenceVersion, failed } from "../../../src/evidence/evidence.ts";
import { requestsObservedMax } from "../../../src/evidence/observation.ts";
import { createResultAssembly, type PackedResult, packResult, packVisit, unpackResult, unpackVisit } from "../../../src/fleet/results.ts";
import type { Visited } from "../../../src/scan/task.ts";
import { knownScans, shopPicture } from "../../support/finished-scans.ts";
import { sentJson } from "../../support/sent-results.ts";
import { loaded, visitOf } from "../../support/visited.ts";

const { navigation, page, dom, markup, requests, scripts, scriptLibraries, hstsPreload, subject } = knownScans.shop.evidence;
const readings = { navigation, page, dom, markup, requests, scripts, scriptLibraries, hstsPreload };
const { observation } = visitOf();
const screenshot = new Uint8Array(readFileSync(shopPicture));
const visited: Visited = { readings, observation, screenshot, browserBroke: false, refusals: ["a destination was refused"] };

function assembled({ parts, manifest }: PackedResult) {
  const assembly = createResultAssembly();
  for (const [at, part] of parts.entries()) assembly.add(at, part);
  expect(assembly.add(null, Buffer.from(JSON.stringify(manifest)))).toBe("complete");
  return assembly;
}

const received = (packed: PackedResult) => unpackVisit(assembled(packed));
const sent = (visit: object, more: object = {}) =>
  received(sentJson({ visited: { readings, observation, ...visit }, refusals: [], ...more }));

describe("a visit comes back as it was made", () => {
  test("with its picture, and without", () => {
    expect(received(packVisit(visited))).toEqual({ gathered: visited });
    expect(received(packVisit({ ...visited, screenshot: null }))).toEqual({ gathered: { ...visited, screenshot: null } });
  });

  test("as a code where none could be made", () => {
    expect(received(packVisit("timeout"))).toEqual({ gathered: "timeout" });
  });

  test("without fields that this release does not know, and without secrets", () => {
    const errors = [{ text: "token=abcdefghijklmnop https://a.test/?password=hunter2hunter2", url: null, line: null }];
    const back = sent({ observation: { ...observation, errors, later: 1 }, more: 2 });
    expect(JSON.stringify(back)).not.toMatch(/hunter2|later|more/);
    expect("gathered" in back && typeof back.gathered !== "string" && back.gathered.observation.errors).toHaveLength(1);
  });

  test("of the release before, with readings that it does not have", () => {
    const { scripts: _scripts, ...older } = readings;
    const packed = sentJson({ visited: { readings: older, observation }, refusals: [] });
    const before = { ...packed, manifest: { ...packed.manifest, evidenceVersion: evidenceVersion - 1 } };
    expect(received(before)).toMatchObject({ gathered: { readings: { scripts: failed("not-asked"), navigation } } });
    expect(received(packed)).toEqual({ fault: "sent evidence without the reading scripts" });
  });
});

describe("a visit is refused", () => {
  const tooMany = Array.from({ length: requestsObservedMax + 1 }, () => loaded("https://site.test/a.js"));
  test.each([
    ["with too many requests", { observation: { ...observation, requests: tooMany } }, "sent an invalid observation at /requests"],
    ["without an observation", { observation: null }, "sent an invalid observation at /"],
    [
      "with a wrong kind of blocking",
      { observation: { ...observation, blocked: [{ kind: "all" }] } },
      "sent an invalid observation at /blocked/0",
    ],
    ["with invalid facts", { readings: { ...readings, dom: { status: "read", facts: 7 } } }, "sent the reading dom with invalid facts"],
    ["without readings", { readings: [] }, "sent "],
  ])("%s", (_name, visit, fault) => {
    const back = sent(visit);
    expect("fault" in back ? back.fault : "").toContain(fault);
  });

  test("with refusals that are none", () => {
    expect(sent({}, { refusals: "all" })).toEqual({ fault: "sent invalid refusals" });
  });

  test("if it is a scan, as an older worker would make it, and a scan if it is a visit", () => {
    const { url, scannedAt } = subject;
    const scan = packResult({ ...visited, evidence: knownScans.shop.evidence, timings: {}, unreachable: null });
    expect(received(scan)).toEqual({ fault: "sent no visit" });
    const asScan = unpackResult(assembled(packVisit(visited)), { url, scannedAt, headerCharsMax: 512 });
    expect(asScan).toHaveProperty("fault");
  });
});
