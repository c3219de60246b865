/** Tries proven headers on a page again: visits it as it is, and with the headers. No draft, no attack and no score. */
import type { Evidence } from "../evidence/evidence.ts";
import type { PolicyTry } from "../sites/policy-watch.ts";
import type { WatchedPolicy } from "../store/sites.ts";
import { compare, inBoth } from "./compare.ts";
import { nonceMark } from "./draft.ts";
import { isReadable, type ProofTools, silenced } from "./prove.ts";

/**
 * Null if the page allows no verdict: a visit failed, the page differs from visit to visit, or it changes although nothing is blocked.
 * `scanned`: evidence of the scan before, which names the origin of the page. Two visits; a third and a fourth one where they differ.
 */
export async function tryAgain(
  { url, headers: planned }: Pick<WatchedPolicy, "url" | "headers">,
  { navigation }: Pick<Evidence, "navigation">,
  { visit, nonce: newNonce }: Pick<ProofTools, "visit" | "nonce">,
): Promise<PolicyTry | null> {
  if (navigation.status === "failed") return null;
  const { origin } = new URL(navigation.facts.finalUrl);
  const nonce = planned.some(({ value }) => value?.includes(nonceMark) === true) ? newNonce() : null;
  const headers = planned.map(({ name, value }) => ({
    name,
    value: nonce === null ? value : (value?.replaceAll(nonceMark, nonce) ?? null),
  }));
  const visitWith = async (given: typeof headers, written: string | null, step: "baseline" | "enforce") => {
    const visited = await visit(url, { origin, headers: silenced(given), nonce: written, canaries: null }, step, () => {});
    if (typeof visited === "string" || !isReadable(visited)) return null;
    const { navigation: shown } = visited.readings;
    // Documents of another origin keep their headers.
    return shown.status === "read" && new URL(shown.facts.finalUrl).origin === origin ? visited : null;
  };
  const before = await visitWith([], null, "baseline");
  const after = before === null ? null : await visitWith(headers, nonce, "enforce");
  if (before === null || after === null) return null;
  const first = compare([before, before], after);
  if (first.verdict !== "changes") return tryOf(first);
  const again = await visitWith([], null, "baseline");
  const last = again === null ? null : await visitWith(headers, nonce, "enforce");
  return again === null || last === null ? null : tryOf(inBoth(compare([before, again], after), compare([before, again], last)));
}

function tryOf({ verdict, blocked, blockedDropped }: ReturnType<typeof compare>): PolicyTry | null {
  if (verdict !== "works" && verdict !== "blocks") return null;
  return { works: verdict === "works", blocked, blockedDropped };
}
