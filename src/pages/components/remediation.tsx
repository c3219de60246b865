/** What to do about a finding: the advice, and the lines to paste for each server, each DNS zone or each file. */
import type { ComponentChildren } from "preact";
import { Lines } from "./lines.tsx";

interface LinesFor {
  /** `nginx`, `Apache`, `Caddy`, `DNS`, or a file's name. */
  readonly place: string;
  readonly text: string;
}

interface RemediationProps {
  /** As the texts have it: advice, and then, each after a line break, lines that begin with their place and a colon. */
  readonly text: string;
  /** What to make of each piece of the text; the piece itself when left out. */
  readonly show?: (text: string) => ComponentChildren;
}

export function Remediation({ text, show = (piece) => piece }: RemediationProps) {
  const { advice, lines } = readRemediation(text);
  return (
    <div class="remediation">
      {advice.map((paragraph) => (
        <p key={paragraph}>{show(paragraph)}</p>
      ))}
      {lines.map(({ place, text }) => (
        <Lines key={place} label={place}>
          {show(text)}
        </Lines>
      ))}
    </div>
  );
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
