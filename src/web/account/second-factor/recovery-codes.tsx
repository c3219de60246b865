/** Page that shows recovery codes once, with ways to save them. */
import { formatRecoveryCode } from "../../../account/sign-in.ts";
import { untranslated } from "../../../report/components/untrusted-text.tsx";
import type { Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";

/** A direct response to the form: it has no URL to link or reload. */
export function recoveryCodesPage(visit: Visit, codes: readonly string[]): Response {
  const { i18n, server } = visit;
  return accountPage(visit, {
    title: "secondFactor.codes.title",
    children: (
      <>
        <p>{i18n.t("secondFactor.codes.intro")}</p>
        <p class="print-only">{server.origin}</p>
        <pre id="recovery-codes" {...untranslated}>
          {codes.map(formatRecoveryCode).join("\n")}
        </pre>
        <div class="actions">
          <button type="button" data-copy="#recovery-codes" data-copied={i18n.t("secondFactor.codes.copied")} hidden>
            {i18n.t("secondFactor.codes.copy")}
          </button>
          <button type="button" data-print hidden>
            {i18n.t("secondFactor.codes.print")}
          </button>
          <a class="button" href="/account/second-factor">
            {i18n.t("secondFactor.codes.kept")}
          </a>
        </div>
      </>
    ),
  });
}
