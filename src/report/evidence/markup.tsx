/** Evidence of the document's forms and generator. */
import type { MarkupFacts } from "../../evidence/page-facts.ts";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, Entry, OmittedCount, UntrustedLine } from "./evidence-blocks.tsx";

export function MarkupEntries({ facts }: { readonly facts: MarkupFacts }) {
  const i18n = useI18n();
  const { generators, generatorsDropped, formActions, formActionsDropped, passwordForms, passwordFormsDropped } = facts;
  if (generators.length + formActions.length + passwordForms.length === 0) return null;
  const buttons = formActions.slice(0, displayLimits.rowsMax);
  return (
    <>
      <dl>
        {generators.map((content, at) => (
          <Entry key={String(at)} name={<UntrustedText>meta generator</UntrustedText>}>
            <UntrustedText charsMax={displayLimits.recordCharsMax}>{content}</UntrustedText>
          </Entry>
        ))}
        {buttons.map(({ action, method }, at) => (
          <Entry key={String(at)} name={i18n.t("evidence.document.button")}>
            <UntrustedLine>{`${method.toUpperCase()} ${action}`}</UntrustedLine>
          </Entry>
        ))}
        {passwordForms.map(({ action, method }, at) => (
          <Entry key={String(at)} name={i18n.t("evidence.document.passwordForm")}>
            <UntrustedLine>{`${(method ?? "get").toUpperCase()} ${action ?? ""}`.trim()}</UntrustedLine>
          </Entry>
        ))}
      </dl>
      <OmittedCount count={formActions.length - buttons.length + formActionsDropped + generatorsDropped + passwordFormsDropped} />
    </>
  );
}
