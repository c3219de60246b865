/** Remediation of a finding: advice, and configuration lines per server, DNS zone or file. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";
import { ConfigLines } from "./config-lines.tsx";

interface TargetLines {
  /** `nginx`, `Apache`, `Caddy`, `DNS`, or a file name. */
  readonly place: string;
  readonly text: string;
}

interface RemediationProps {
  /** Format of the locale texts: advice, then one line each as `<target>: <configuration>`. */
  readonly text: string;
  /** Renderer of advice; plain text by default. */
  readonly advice?: (text: string) => ComponentChildren;
  /** Renderer of configuration lines; plain text by default. */
  readonly lines?: (text: string) => ComponentChildren;
}

/** Collapsed by target, since most readers need only one. */
export function Remediation({ text, advice = identity, lines = identity }: RemediationProps) {
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
          <ConfigLines label={place}>{lines(text)}</ConfigLines>
        </details>
      ))}
    </>
  );
}

function identity(text: string): string {
  return text;
}

/** The first blank after the colon is a separator; further blanks are indentation. */
const lineFormat = /^([A-Za-z][\w.-]*): (.+)$/;

/** Splits a remediation. Texts of plugin checks are free-form: a line without a target is advice. */
export function readRemediation(text: string): { readonly advice: readonly string[]; readonly lines: readonly TargetLines[] } {
  const [first = "", ...others] = text.split("\n");
  const advice = [first];
  const byPlace = new Map<string, string[]>();
  for (const line of others) {
    const [, place, rest = ""] = lineFormat.exec(line) ?? [];
    if (place === undefined) advice.push(line);
    else byPlace.set(place, [...(byPlace.get(place) ?? []), rest]);
  }
  return {
    advice: advice.filter((paragraph) => paragraph.trim() !== ""),
    lines: [...byPlace].map(([place, rest]) => ({ place, text: rest.join("\n") })),
  };
}
