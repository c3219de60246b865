/** Report of a hostile site: none of its strings becomes markup, an active link or a bidi control. */
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { headerFieldsMax, headerValueCharsMax, setCookieLinesMax, subresourcesMax, urlCharsMax } from "../../../../src/evidence/limits.ts";
import { knownScans, storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";
import { poisonedScan } from "../../../support/poisoned-scan.ts";

const pages = await startPages();
afterAll(() => pages.stop());

/** Compressed size limit of an incompressible report; real ones are far below. */
const htmlBytesMax = 100_000;

/** Word joiner that keeps the link arrow at its last word; our own element follows. */
const ourJoiner = "\u2060";
/** Characters that browsers obey or drop; line breaks and tabs belong to shown files. */
const steering = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

const { evidence } = knownScans.bare;
const scan = await storeSite(pages.store, "bare", { at: new Date(), ...poisonedScan() });
const later = await storeSite(pages.store, "bare", { at: new Date() });

describe.each([`/scans/${scan.token}`, `/scans/${later.token}/compare?with=${scan.token}`])("%s", (path) => {
  test.each(["en-gb", "de-de"])("in %s", async (locale) => {
    const answer = await fetch(`${pages.url}${path}`, { headers: { cookie: `locale=${locale}` } });
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain("&lt;script>alert(1)");
    // Only our script; no element or attribute of the attacker.
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img src=x|<[^>]*\sonerror=/);
    // Invisible and bidi characters are shown as code points.
    expect(html.replaceAll(`${ourJoiner}<`, "<").match(steering) ?? []).toEqual([]);
    expect(html).toContain('<span class="sign">U+202E</span>');
    // Placeholders in values stay literal; all of ours are filled.
    expect(new Set(html.match(/\{\{[a-z]+\}\}/g))).toEqual(new Set(["{{host}}"]));
    // No configuration line starts with text of the site.
    expect(html).not.toMatch(/<code id="[^"]*">(?:[^<]*\n)?rm -rf/);
  });
});

test("external links use http or https, with nofollow", async () => {
  const navigation = evidence.navigation.status === "read" ? evidence.navigation.facts : null;
  if (navigation === null) throw new Error("the known navigation was read");
  const trap = await storeSite(pages.store, "bare", {
    at: new Date(),
    evidence: { navigation: { status: "read", facts: { ...navigation, finalUrl: "javascript:alert(1)//https://x" } } },
  });
  const html = await (await fetch(`${pages.url}/scans/${trap.token}`)).text();
  expect(html).toContain("javascript:alert(1)");
  expect(html).not.toMatch(/href="javascript:/i);
  const out = [...html.matchAll(/<a [^>]*href="(?!\/|#|\?)[^>]*>/g)].map(([tag]) => tag);
  expect(out.length).toBeGreaterThan(0);
  for (const tag of out) expect(tag).toMatch(/href="https?:\/\/[^"]*" rel="nofollow noopener noreferrer"/);
});

test("the report stays small for any site", async () => {
  const { page, dom } = evidence;
  if (page.status === "failed" || dom.status === "failed") throw new Error("the known page was read");
  // Incompressible text.
  const noise = (chars: number) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(chars)))
      .toString("base64url")
      .slice(0, chars);
  const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
  const greedy = await storeSite(pages.store, "bare", {
    at: new Date(),
    evidence: {
      page: {
        status: "read",
        facts: {
          ...page.facts,
          headers: many(headerFieldsMax, () => ({ name: noise(40), value: noise(headerValueCharsMax), truncated: true })),
          setCookies: many(setCookieLinesMax, () => ({
            host: "x.example",
            overHttps: true,
            line: `${noise(40)}=<redacted>; ${noise(450)}`,
            truncated: true,
          })),
        },
      },
      dom: {
        status: "read",
        facts: {
          ...dom.facts,
          title: noise(2_000),
          subresources: many(subresourcesMax, () => ({
            url: `https://x.example/${noise(urlCharsMax)}`,
            kind: "script",
            integrity: noise(200),
            crossOrigin: null,
            sameSite: false,
            sameOrigin: false,
          })),
        },
      },
    },
  });
  const html = await (await fetch(`${pages.url}/scans/${greedy.token}`)).text();
  expect(html).toContain("more, not shown here");
  expect(gzipSync(html).length).toBeLessThan(htmlBytesMax);
});

test("no internal error was logged", () => {
  expect(pages.logged).toEqual([]);
});
