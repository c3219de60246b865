/** Lines of ticked findings, and the score that the judge gives them: a form that works without script. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { builtInCatalog as judgingCatalog } from "../../../../src/catalog/catalog.ts";
import { performJudge } from "../../../../src/scan/judge-task.ts";
import { type AskedLines, linesToJudge } from "../../../../src/scan/predict.ts";
import { evidence } from "../../../support/evidence.ts";
import { storeFinished } from "../../../support/finished-scans.ts";
import { builtInCatalog, startPages } from "../../../support/pages.ts";

const asked: (readonly string[] | null)[] = [];
/** As the scanner answers it, without threads. */
async function scoreOfLines(lines: AskedLines) {
  asked.push(lines.chosen);
  const toJudge = linesToJudge(lines);
  if (toJudge === null) return null;
  return toJudge.scoreOf(performJudge({ evidence: structuredClone(toJudge.evidence), hung: [] }, judgingCatalog(), () => {}).result);
}

const at = new Date();
let now = at;
const pages = await startPages({ scanning: { scoreOfLines }, now: () => now });
const stored = { score: 77, codes: ["security.missing-header.x-frame-options"] };
const bare = evidence();
const { result } = performJudge({ evidence: structuredClone(bare), hung: [] }, judgingCatalog(), () => {});
const sameRules = { ...result, catalogVersion: builtInCatalog.version, lines: stored };
const { token } = await storeFinished(pages.store, { evidence: bare, result: sameRules, at });
afterAll(() => pages.stop());
// Ticks are limited within a minute: a test has one of its own.
beforeEach(() => {
  now = new Date(now.getTime() + 120_000);
});

async function read(query: string, path = `/scans/${token}`): Promise<string> {
  return (await pages.visitor().get(`${path}${query}`)).text();
}
const linesIn = (section: string) => section.split("<figure")[1] ?? "";
const sectionOf = (html: string) => html.split('class="paste all-lines"')[1]?.split("</figure>")[0] ?? "";
const scoreIn = (html: string) => Number(/These lines: \d+ \u2192 (\d+)/.exec(html)?.[1] ?? Number.NaN);
const codeOf = "security.missing-header.content-security-policy";

describe("ticked findings", () => {
  test("are all ticked at first, with the stored score", async () => {
    const before = asked.length;
    const section = sectionOf(await read(""));
    const boxes = section.match(/<input type="checkbox"[^>]*>/g) ?? [];
    expect(boxes.length).toBeGreaterThan(3);
    expect(boxes.filter((box) => !box.includes("checked"))).toEqual([]);
    expect(scoreIn(section)).toBe(77);
    expect(asked).toHaveLength(before);
  });

  test("have lines of their own, and the score of the judge", async () => {
    const one = sectionOf(await read(`?server=nginx&ticked=&fix[]=${codeOf}`));
    expect(linesIn(one)).toContain("add_header Content-Security-Policy");
    expect(linesIn(one)).not.toContain("Strict-Transport-Security");
    expect(one).toMatch(new RegExp(`value="${codeOf}" checked`));
    expect(one.match(/checked/g)).toHaveLength(1);
    const two = sectionOf(await read(`?server=nginx&fix[]=${codeOf}&fix[]=security.missing-header.strict-transport-security`));
    expect(linesIn(two)).toContain("Strict-Transport-Security");
    expect(scoreIn(two)).toBeGreaterThan(scoreIn(one));
    expect(asked.slice(-2)).toEqual([[codeOf], [codeOf, "security.missing-header.strict-transport-security"]]);
  });

  test("without a tick, of unknown codes and of hostile ones have no score", async () => {
    for (const query of ["?ticked=", "?fix[]=security.no-such.code", `?fix[]=${encodeURIComponent('"><script>alert(1)</script>')}`]) {
      const html = await read(query);
      expect(html).not.toContain("<script>alert");
      expect(scoreIn(html)).toBeNaN();
      expect(sectionOf(html)).toContain("Not known for these lines now.");
    }
  });

  test("are not judged by other rules, and not without the evidence", async () => {
    const before = asked.length;
    const older = await storeFinished(pages.store, { evidence: bare, result: { ...sameRules, catalogVersion: "older" }, at });
    const html = await read(`?fix[]=${codeOf}`, `/scans/${older.token}`);
    expect([asked.length, sectionOf(html).includes("Not known for these lines now.")]).toEqual([before, true]);
    expect(scoreIn(sectionOf(await read("", `/scans/${older.token}`)))).toBe(77);
  });

  test("have a limit for each address", async () => {
    const before = asked.length;
    for (let nth = 0; nth < 31; nth++) await read(`?fix[]=${codeOf}`);
    expect(asked.length - before).toBeLessThan(31);
    expect(scoreIn(await read(`?fix[]=${codeOf}`))).toBeNaN();
  });

  test("are not offered by the sample", async () => {
    expect(await read("", "/sample")).not.toContain("data-ticks");
  });
});
