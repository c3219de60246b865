/** Measures lookups in the embedded HSTS preload list, and its unpacking. */
import { preloadCoverage } from "../../src/parse/host-lists.ts";
import { preloadList, usePreloadList } from "../../src/probe/browser/page-preload.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

const lookupUsMax = 10;
/** Names of one to six labels, on the list and not. */
const names = ["dev", "www.figma.com", "accounts.google.com", "a.b.c.d.example.com", "www.not-on-the-list.co.uk", "x.zip"];
const lookupsPerRound = 60_000;

export function benchPreloadList({ rounds }: { readonly rounds: number }): readonly Row[] {
  const [unpackMs, lookupUs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    usePreloadList(null);
    const beganMs = performance.now();
    const list = preloadList();
    unpackMs.push(performance.now() - beganMs);
    const startMs = performance.now();
    for (let at = 0; at < lookupsPerRound; at++) preloadCoverage(list, names[at % names.length] ?? "");
    lookupUs.push(((performance.now() - startMs) * 1_000) / lookupsPerRound);
  }
  const lookup = spreadOf(lookupUs);
  return [
    { name: "preload list, unpack", unit: "ms", measured: spreadOf(unpackMs) },
    {
      name: "preload list, lookup",
      unit: "us",
      measured: lookup,
      target: { text: `at most ${lookupUsMax} us`, met: lookup.median <= lookupUsMax },
    },
  ];
}
