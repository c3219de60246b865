/** Remediation of a finding: advice, and configuration lines per server, DNS zone or file. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { isTestedForReal, type ServerName, serverLabel, serverNames } from "../../text/servers/server-lines.ts";
import { useDocument, useI18n } from "../context.ts";
import type { ServerPreference, ShownFinding } from "../report.ts";
import { untranslated } from "./untrusted-text.tsx";

interface ConfigLinesProps {
  /** Target of the lines: `nginx`, `DNS`, a file name. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Machine-readable, so never translated. */
export function ConfigLines({ label, children }: ConfigLinesProps) {
  const { i18n, live } = useDocument();
  const id = useId();
  return (
    <figure class="lines">
      <figcaption>
        <span {...untranslated}>{label}</span>
        {live && (
          <button type="button" data-copy={`#${id}`} data-copied={i18n.t("lines.copied")} hidden>
            {i18n.t("lines.copy", { label })}
          </button>
        )}
      </figcaption>
      <pre {...untranslated}>
        <code {...(live ? { id } : {})}>{children}</code>
      </pre>
    </figure>
  );
}

interface TargetLines {
  /** `nginx`, `DNS`, or a file name. */
  readonly place: string;
  readonly text: string;
  /** Whether only the form of the lines is tested. */
  readonly untested?: boolean;
}

interface Renderers {
  readonly advice: (text: string) => ComponentChildren;
  /** Lines of the remediation's text. */
  readonly lines: (text: string) => ComponentChildren;
}

interface RemediationProps extends Renderers {
  /** Advice, then one line each as `<target>: <configuration>`. */
  readonly text: string;
  readonly server: ServerPreference;
  /** Lines for the server; null if there are none. */
  readonly serverLines: string | null;
  /** Lines for other servers, folded. */
  readonly otherLines?: ShownFinding["otherLines"];
}

/** Lines for one server, and those for DNS and files. */
export function Remediation({ text, server, serverLines, otherLines = [], advice, lines }: RemediationProps) {
  const read = readRemediation(text);
  const label = server === "explain" ? null : serverLabel(server);
  const ofText = read.lines.filter(({ place }) => place === label || !isServerLabel(place));
  // Lines in the text of a plugin check may be for other servers only.
  const others = label === null || serverLines !== null || ofText.some(({ place }) => place === label) ? [] : read.lines;
  return (
    <>
      <Advice paragraphs={read.advice} advice={advice} />
      {label !== null && serverLines !== null && <ConfigLines label={label}>{serverLines}</ConfigLines>}
      {ofText.map(({ place, text: own }) => (
        <ConfigLines key={place} label={place}>
          {lines(own)}
        </ConfigLines>
      ))}
      <FoldedLines targets={others.filter(({ place }) => isServerLabel(place))} lines={lines} />
      {otherLines.length > 0 && <OtherServers otherLines={otherLines} />}
    </>
  );
}

function OtherServers({ otherLines }: Required<Pick<RemediationProps, "otherLines">>) {
  const i18n = useI18n();
  return (
    <details class="paste">
      <summary>{i18n.t("lines.others")}</summary>
      {otherLines.map(({ server, text }) => (
        <ConfigLines
          key={server}
          label={isTestedForReal(server) ? serverLabel(server) : i18n.t("lines.untested", { place: serverLabel(server) })}
        >
          {text}
        </ConfigLines>
      ))}
    </details>
  );
}

interface FullRemediationProps extends Renderers {
  readonly text: string;
  /** Null for a server without lines. */
  readonly linesFor: (server: ServerName) => string | null;
}

/** Lines for every server, collapsed by target. */
export function FullRemediation({ text, linesFor, advice, lines }: FullRemediationProps) {
  const read = readRemediation(text);
  const ofServers = serverNames.flatMap((server) => {
    const own = linesFor(server);
    return own === null ? [] : [{ place: serverLabel(server), text: own, untested: !isTestedForReal(server) }];
  });
  return (
    <>
      <Advice paragraphs={read.advice} advice={advice} />
      <FoldedLines targets={ofServers} lines={(own) => own} />
      <FoldedLines targets={read.lines} lines={lines} />
    </>
  );
}

function Advice({ paragraphs, advice }: Pick<Renderers, "advice"> & { readonly paragraphs: readonly string[] }) {
  return (
    <>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{advice(paragraph)}</p>
      ))}
    </>
  );
}

function FoldedLines({ targets, lines }: Pick<Renderers, "lines"> & { readonly targets: readonly TargetLines[] }) {
  const i18n = useI18n();
  return (
    <>
      {targets.map(({ place, text, untested = false }) => (
        <details key={place} class="paste">
          <summary>{i18n.t(untested ? "lines.pasteUntested" : "lines.paste", { place })}</summary>
          <ConfigLines label={place}>{lines(text)}</ConfigLines>
        </details>
      ))}
    </>
  );
}

function isServerLabel(place: string): boolean {
  return serverNames.some((server) => serverLabel(server) === place);
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
