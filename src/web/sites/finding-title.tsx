/** Finding of a watched site by its code: title, severity and the page that explains it. */
import type { Severity } from "../../check/check.ts";
import { CheckLink } from "../../report/components/check-link.tsx";
import { SeverityChip } from "../../report/components/chips.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useDocument } from "../../report/context.ts";
import type { Texts } from "../../text/i18n.ts";

interface CodedFinding {
  readonly code: string;
  readonly checkKey: string;
  readonly severity: Severity;
}

export function FindingTitle({ code, checkKey, severity }: CodedFinding) {
  const { i18n, texts } = useDocument();
  return (
    <>
      <SeverityChip severity={severity} />{" "}
      <CheckLink checkKey={checkKey} fragment={code}>
        <UntrustedText>{findingTitle(texts, i18n.locale, { code, checkKey })}</UntrustedText>
      </CheckLink>
    </>
  );
}

/** The code itself for findings that left the catalog. */
export function findingTitle(texts: Texts, locale: string, { code, checkKey }: Pick<CodedFinding, "code" | "checkKey">): string {
  return texts.ofCheck(locale, checkKey)?.findings[code]?.title ?? code;
}
