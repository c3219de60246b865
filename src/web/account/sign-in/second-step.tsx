/** Second step of sign-in: an authenticator code or a recovery code. */
import { Details } from "../../../report/components/layout.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { Form, readForm } from "../../form.tsx";
import { page } from "../../page.tsx";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { CodeField, CommandLine, FormErrorNotice } from "../fields.tsx";
import { answerTo, errorAt, type FormError, fieldError, throttledError } from "../form-error.ts";
import { nextPath } from "./next-path.ts";
import { afterSignIn, callerOf, continueAfterSignIn, logRefusal } from "./session-cookie.ts";

/** A reload starts the sign-in again. */
export function getSecondStep(visit: Visit): Response {
  return redirect(visit, "/sign-in");
}

export async function postSecondStep(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const challenge = fields.text("challenge");
  const next = nextPath(fields.text("next"), afterSignIn);
  const step = await visit.settings.accounts.actions.proveSecondFactor({ challenge, code: fields.text("code"), caller: callerOf(visit) });
  switch (step.status) {
    case "signed-in":
      // After a recovery code the user should enrol a new authenticator or renew the codes.
      return continueAfterSignIn(visit, step, step.by === "recovery-code" ? "/account/second-factor?done=recovery-code" : next);
    case "wrong-code":
      logRefusal(visit, "code", step.accountId);
      return codePage(visit, { challenge, next, formError: fieldError("code", visit.i18n.t("credentials.errors.wrongCode"), 403) });
    case "over":
      return redirect(visit, `/sign-in?${new URLSearchParams({ done: "over", next })}`);
    default:
      return codePage(visit, { challenge, next, formError: throttledError(visit, step) });
  }
}

interface CodePageProps {
  readonly challenge: string;
  readonly next: string;
  readonly formError?: FormError | null;
}

/** `challenge` proves that the password was correct. */
export function codePage(visit: Visit, { challenge, next, formError = null }: CodePageProps): Response {
  const { i18n } = visit;
  return page(visit, {
    ...answerTo(formError),
    title: i18n.t("secondFactor.step.title"),
    noIndex: true,
    secret: true,
    children: (
      <div class="narrow">
        <h1>{i18n.t("secondFactor.step.title")}</h1>
        <p>{i18n.t("secondFactor.step.intro")}</p>
        <FormErrorNotice formError={formError} />
        <Form action="/sign-in/code">
          <input type="hidden" name="challenge" value={challenge} />
          <input type="hidden" name="next" value={next} />
          <CodeField error={errorAt(formError, "code")} autofocus />
          <SubmitButton>{i18n.t("secondFactor.step.submit")}</SubmitButton>
        </Form>
        <Details summary={i18n.t("secondFactor.step.lost")}>
          <p>{i18n.t("secondFactor.step.lostText")}</p>
          <CommandLine>assay user disable-2fa you@example.com</CommandLine>
        </Details>
      </div>
    ),
  });
}
