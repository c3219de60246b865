/** Recovery codes, shown this once, with the ways to keep them. */
import { shownRecoveryCode } from "../../../account/second-factor.ts";
import { untranslated } from "../../components/foreign.tsx";
import type { Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";

/** The answer to the form that made them: it can be neither linked to nor read again. */
export function recoveryCodesPage(visit: Visit, codes: readonly string[]): Response {
  const { words, own } = visit;
  return accountPage(visit, {
    title: "secondFactor.codes.title",
    children: (
      <>
        <p>{words.say("secondFactor.codes.intro")}</p>
        <p class="print-only">{own.origin}</p>
        <pre id="recovery-codes" {...untranslated}>
          {codes.map(shownRecoveryCode).join("\n")}
        </pre>
        <div class="actions">
          <button type="button" data-copy="#recovery-codes" data-copied={words.say("secondFactor.codes.copied")} hidden>
            {words.say("secondFactor.codes.copy")}
          </button>
          <button type="button" data-print hidden>
            {words.say("secondFactor.codes.print")}
          </button>
          <a class="button" href="/account/second-factor">
            {words.say("secondFactor.codes.kept")}
          </a>
        </div>
      </>
    ),
  });
}
