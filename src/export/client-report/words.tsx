/** Words of a client report: plain sentences for owners of sites, or the titles that technicians know. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Severity, worstFirst } from "../../check/check.ts";
import { SeverityChip } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { type ReportDocument, useDocument } from "../../report/context.ts";
import { type CodedFinding, FindingTitle, findingTitle } from "../../report/findings.tsx";
import { plainSentence } from "../../text/render.ts";

/** Values of the parameter `words`: the first is the default. */
export const clientWords = ["plain", "technical"] as const;
export type ClientWords = (typeof clientWords)[number];

export const WordsContext = createContext<ClientWords>(clientWords[0]);

export function useWords(): ClientWords {
  return useContext(WordsContext);
}

/** A longer text of a plugin is cut. */
export const sentenceCharsMax = 300;
const seriousSeverities: readonly Severity[] = ["critical", "high", "medium"];

export function isSerious({ severity }: Pick<CodedFinding, "severity">): boolean {
  return seriousSeverities.includes(severity);
}

/** Text of a finding in these words; findings with one consequence have one sentence. */
export function wordsOf(finding: CodedFinding, words: ClientWords, { texts, i18n }: Pick<ReportDocument, "texts" | "i18n">): string {
  return words === "plain" ? plainSentence(texts, i18n.locale, finding) : findingTitle(texts, i18n.locale, finding);
}

/** The chips of a list are equally wide. */
export function FindingWords(finding: CodedFinding) {
  const document = useDocument();
  const words = useWords();
  return (
    <span class="severity">
      {words === "technical" ? (
        <FindingTitle {...finding} />
      ) : (
        <>
          <SeverityChip severity={finding.severity} />{" "}
          <span>
            <UntrustedText charsMax={sentenceCharsMax}>{wordsOf(finding, words, document)}</UntrustedText>
          </span>
        </>
      )}
    </span>
  );
}

/** Findings that have the same words, worst first; each group has a member. */
export function groupedByWords<F>(
  items: readonly F[],
  findingOf: (item: F) => CodedFinding,
  words: ClientWords,
  document: Pick<ReportDocument, "texts" | "i18n">,
): readonly (readonly [F, ...F[]])[] {
  const sorted = items.toSorted((one, other) => worstFirst(findingOf(one), findingOf(other)));
  const groups = Map.groupBy(sorted, (item) => wordsOf(findingOf(item), words, document));
  return [...groups.values()].flatMap(([first, ...others]) => (first === undefined ? [] : [[first, ...others] as const]));
}
