/** Finding by its code alone, without the values of a scan: title, severity and the page that explains it. */
import type { Severity } from "../check/check.ts";
import type { Texts } from "../text/i18n.ts";
import { CheckLink } from "./components/check-link.tsx";
import { SeverityChip } from "./components/chips.tsx";
import { UntrustedText } from "./components/untrusted-text.tsx";
import { useDocument } from "./context.ts";

/** A longer code of a check that left the catalog is cut. */
const titleCharsMax = 200;

export interface CodedFinding {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
}

export function FindingTitle(finding: CodedFinding) {
  const { i18n, texts, checks } = useDocument();
  const { code, checkKey, severity } = finding;
  const title = <UntrustedText charsMax={titleCharsMax}>{findingTitle(texts, i18n.locale, finding)}</UntrustedText>;
  const hasPage = checks.some(({ key }) => key === checkKey);
  return (
    <>
      <SeverityChip severity={severity} />{" "}
      {hasPage ? (
        <CheckLink checkKey={checkKey} fragment={code}>
          {title}
        </CheckLink>
      ) : (
        title
      )}
    </>
  );
}

/** The code itself for findings that left the catalog. */
export function findingTitle(texts: Texts, locale: string, { code, checkKey }: Pick<CodedFinding, "code" | "checkKey">): string {
  return texts.ofCheck(locale, checkKey)?.findings[code]?.title ?? code;
}
