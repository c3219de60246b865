/** Derives from the evidence which limits and data files the verdicts rest on. */
import type { Evidence } from "../evidence/evidence.ts";
import { headerLimitOf } from "../evidence/subject.ts";
import type { ResultBasis } from "./result.ts";

export function basisOf({ subject, hstsPreload }: Evidence): ResultBasis {
  const dates: Readonly<Record<string, string | undefined>> = {
    hstsPreload: hstsPreload.status === "read" ? hstsPreload.facts.listDate : undefined,
  };
  const used = Object.entries(dates).flatMap(([name, date]) => (date === undefined ? [] : [[name, date] as const]));
  return { headerValueCharsMax: headerLimitOf(subject), dataDates: Object.fromEntries(used) };
}
