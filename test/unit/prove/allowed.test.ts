/** Sources of a policy that nothing observed needs. */
import { expect, test } from "vitest";
import { parseCsp } from "../../../src/parse/csp.ts";
import { allows, unneededSources } from "../../../src/prove/allowed.ts";
import { blockedBy } from "../../support/visited.ts";

const pageUrl = "https://site.test/";
const hash = `sha256-${"A".repeat(43)}=`;
const other = `sha256-${"B".repeat(43)}=`;
const handler = blockedBy({ directive: "script-src-attr", kind: "inline" });

type Observed = Parameters<typeof blockedBy>[0];

function unneeded(policy: string, ...observed: readonly Observed[]): readonly string[] {
  return unneededSources(policy, observed.map(blockedBy), pageUrl).map(({ directive, source }) => `${directive} ${source}`);
}

test.each<[string, string, readonly Observed[], readonly string[]]>([
  ["nothing observed needs nothing", "default-src 'self'; object-src 'none'", [], ["default-src 'self'"]],
  [
    "a file of the own origin, by the fallback",
    "default-src 'self'; form-action 'self'; frame-ancestors 'self'",
    [{ directive: "img-src", url: "https://site.test/a.png" }],
    ["form-action 'self'", "frame-ancestors 'self'"],
  ],
  [
    "a directive of its own leaves the fallback without need",
    "default-src 'self'; img-src 'self' cdn.test",
    [{ directive: "img-src", url: "https://cdn.test/a.png" }],
    ["default-src 'self'", "img-src 'self'"],
  ],
  ["inline code by its hash", `script-src '${hash}' '${other}'`, [{ kind: "inline", hash }], [`script-src '${other}'`]],
  ["what scripts add", `script-src 'strict-dynamic' '${hash}'`, [{ kind: "inline", hash }], ["script-src 'strict-dynamic'"]],
  ["what scripts added", "script-src 'strict-dynamic'", [{ url: "https://cdn.test/a.js", byScript: true }], []],
  ["a worker, which scripts start", "script-src 'strict-dynamic'", [{ directive: "worker-src", url: "https://site.test/w.js" }], []],
  [
    "a script element in the document by its nonce, not by its host",
    "script-src 'nonce-YWJjZGVm' cdn.test",
    [{ url: "https://cdn.test/a.js" }],
    ["script-src 'nonce-YWJjZGVm'", "script-src cdn.test"],
  ],
  ["eval", "script-src 'self' 'unsafe-eval'", [{ directive: "script-src", kind: "eval" }], ["script-src 'self'"]],
  ["a handler may be the one of any hash", `script-src-attr 'unsafe-hashes' '${hash}' '${other}'`, [handler], []],
  [
    "handlers that never fire",
    `script-src-attr 'unsafe-hashes' '${hash}'`,
    [],
    ["script-src-attr 'unsafe-hashes'", `script-src-attr '${hash}'`],
  ],
  ["what the policy blocks anyway", "script-src 'self'", [{ url: "https://cdn.test/a.js" }], ["script-src 'self'"]],
  ["words that are no sources", "sandbox allow-scripts; trusted-types default; report-to group", [], []],
  ["an empty policy", "", [], []],
])("%s", (_words, policy, observed, expected) => {
  expect(unneeded(policy, ...observed)).toEqual(expected);
});

test("a source that one of several pages needs is needed", () => {
  expect(unneeded("script-src 'self' cdn.test", { url: "https://cdn.test/a.js" }, { url: "https://site.test/b.js" })).toEqual([]);
});

test("a text in place of a Trusted Type is allowed by no source", () => {
  const [policy = new Map()] = parseCsp(["script-src 'self'; require-trusted-types-for 'script'"]);
  const text = blockedBy({ directive: "require-trusted-types-for", kind: "trusted-types" });
  expect(allows(policy, text, new URL(pageUrl))).toBe(false);
});

test("a page with thousands of files and a long policy is listed in part", () => {
  const hosts = Array.from({ length: 200 }, (_, at) => `cdn${at}.test`);
  const files = hosts.flatMap((host) =>
    Array.from({ length: 30 }, (_, at) => ({ directive: "img-src", url: `https://${host}/${at}.png` })),
  );
  expect(unneeded(`default-src 'self'; img-src ${hosts.join(" ")} spare.test`, ...files)).toEqual([
    "default-src 'self'",
    "img-src spare.test",
  ]);
  expect(unneeded(`img-src ${hosts.join(" ")}`)).toHaveLength(100);
});
