/** Derives from the evidence which limits and data files the verdicts rest on. */
import { type Evidence, headerLimitOf, type Reading } from "../evidence/evidence.ts";
import type { ResultBasis } from "./result.ts";

export function basisOf({ subject, hstsPreload, scriptLibraries }: Evidence): ResultBasis {
  const dates: Readonly<Record<string, string | undefined>> = {
    hstsPreload: factsIn(hstsPreload)?.listDate,
    scriptLibraries: factsIn(scriptLibraries)?.advisoriesDate,
    publicSuffixes: subject.publicSuffixesDate,
  };
  const used = Object.entries(dates).flatMap(([name, date]) => (date === undefined ? [] : [[name, date] as const]));
  return { headerValueCharsMax: headerLimitOf(subject), dataDates: Object.fromEntries(used) };
}

/** Evidence from older versions lacks the readings that were added since. */
function factsIn<F>(reading: Reading<F> | undefined): F | null {
  return reading?.status === "read" ? reading.facts : null;
}
