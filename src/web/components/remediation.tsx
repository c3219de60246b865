/** What to do about a finding: the advice, and the lines to paste for each server, each DNS zone or each file. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";
import { Lines } from "./lines.tsx";

interface LinesFor {
  /** `nginx`, `Apache`, `Caddy`, `DNS`, or a file's name. */
  readonly place: string;
  readonly text: string;
}

interface RemediationProps {
  /** As the texts have it: advice, and then, each after a line break, lines that begin with their place and a colon. */
  readonly text: string;
  /** What to make of a paragraph of advice; the text itself when left out. */
  readonly advice?: (text: string) => ComponentChildren;
  /** What to make of the lines for a place. */
  readonly lines?: (text: string) => ComponentChildren;
}

/** Lines are folded by their place: nobody has all three servers. */
export function Remediation({ text, advice = asItIs, lines = asItIs }: RemediationProps) {
  const i18n = useI18n();
  const read = readRemediation(text);
  return (
    <>
      {read.advice.map((paragraph) => (
        <p key={paragraph}>{advice(paragraph)}</p>
      ))}
      {read.lines.map(({ place, text }) => (
        <details key={place} class="paste">
          <summary>{i18n.t("lines.paste", { place })}</summary>
          <Lines label={place}>{lines(text)}</Lines>
        </details>
      ))}
    </>
  );
}

function asItIs(text: string): string {
  return text;
}

/** A blank behind the colon parts the place from its line; more of them are the line's own margin. */
const lineForm = /^([A-Za-z][\w.-]*): (.+)$/;

/** Takes a remediation apart. A dropped-in check may word it freely: what is no line with its place is advice. */
export function readRemediation(text: string): { readonly advice: readonly string[]; readonly lines: readonly LinesFor[] } {
  const [first = "", ...others] = text.split("\n");
  const advice = [first];
  const byPlace = new Map<string, string[]>();
  for (const line of others) {
    const [, place, rest = ""] = lineForm.exec(line) ?? [];
    if (place === undefined) advice.push(line);
    else byPlace.set(place, [...(byPlace.get(place) ?? []), rest]);
  }
  return {
    advice: advice.filter((paragraph) => paragraph.trim() !== ""),
    lines: [...byPlace].map(([place, rest]) => ({ place, text: rest.join("\n") })),
  };
}
