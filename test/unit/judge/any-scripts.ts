/** Random readings of script files and script libraries for property tests. */
import fc from "fast-check";
import type { Facts } from "../../../src/evidence/facts.ts";

const few = fc.nat({ max: 19 }).map((roll) => (roll === 0 ? 1 : 0));
const anyLibrary = fc.record({
  name: fc.constantFrom("jquery", "bootstrap"),
  version: fc.constantFrom("1.12.4", "3.5.0", "?"),
  detectedBy: fc.constant(["url"] as const),
  url: fc.constantFrom("https://site.example/jquery.js", null),
  advisories: fc.array(
    fc.record({
      atOrAbove: fc.constantFrom(null, "1.2.0"),
      below: fc.constantFrom("3.4.0", "999.999.999"),
      excludes: fc.constant([]),
      severity: fc.constantFrom("critical", "high", "medium", "low"),
      identifiers: fc.subarray(["CVE-2019-11358", "CVE-2020-11022"]),
    }),
    { maxLength: 3 },
  ),
});
const anyScriptFile = fc.record({
  url: fc.constantFrom("https://cdn.example/a.js", "https://site.example/b.js"),
  answeredBy: fc.constantFrom(null, "https://cdn.example/c.js"),
  sameSite: fc.boolean(),
});

export const anyScripts: { readonly [N in "scripts" | "scriptLibraries"]: fc.Arbitrary<Facts[N]> } = {
  scripts: fc.record({ files: fc.array(anyScriptFile, { maxLength: 3 }), filesDropped: few }),
  scriptLibraries: fc.record({
    advisoriesDate: fc.constantFrom("2026-08-22", "2024-01-01"),
    libraries: fc.array(anyLibrary, { maxLength: 3 }),
    librariesDropped: few,
    bannersUnread: few,
    variablesRead: few.map((count) => count === 0),
  }),
};
