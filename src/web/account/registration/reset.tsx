/** `/reset?t=`: sets a new password by a link from the operator. */
import type { Account } from "../../../store/accounts.ts";
import { linkHours } from "../../../store/one-time-links.ts";
import { SubmitButton } from "../../components/submit-button.tsx";
import { Form, readForm } from "../../form.tsx";
import { page } from "../../page.tsx";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { FormErrorNotice, NewPassword, UnencryptedNotice } from "../fields.tsx";
import { answerTo, errorAt, type FormError, newPasswordError, throttledError } from "../form-error.ts";
import { unusableLinkPage } from "../registration.tsx";

export function getReset(visit: Visit): Response {
  return resetPage(visit, visit.url.searchParams.get("t") ?? "");
}

export async function postReset(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const link = fields.text("t");
  const outcome = await visit.settings.accounts.actions.resetPassword(link, fields.text("password"));
  switch (outcome.status) {
    case "reset":
      visit.settings.log.info("password reset by link", { account: outcome.account.id });
      return redirect(visit, "/sign-in?done=reset");
    case "busy":
      return resetPage(visit, link, throttledError(visit, outcome));
    default:
      return resetPage(visit, link, passwordErrorOf(visit, outcome.fault));
  }
}

/** Only the password can have an error: an unusable link has its own page. */
function passwordErrorOf(visit: Visit, fault: string): FormError | null {
  const known = (["too-short", "too-long", "common", "is-email"] as const).find((one) => one === fault);
  return known === undefined ? null : newPasswordError(visit, "password", known);
}

function resetPage(visit: Visit, link: string, formError: FormError | null = null): Response {
  const { i18n } = visit;
  const account = accountOfLink(visit, link);
  if (account === null)
    return unusableLinkPage(visit, 410, {
      texts: ["reset.invalid.title", "reset.invalid.what", "reset.invalid.next"],
      values: { hours: linkHours.reset },
      command: "assay user reset-password you@example.com",
    });
  return page(visit, {
    title: i18n.t("reset.title"),
    ...answerTo(formError),
    noIndex: true,
    secret: true,
    children: (
      <div class="narrow">
        <h1>{i18n.t("reset.title")}</h1>
        <p>{i18n.t("reset.for", { email: account.email })}</p>
        <p>{i18n.t("reset.means")}</p>
        <UnencryptedNotice />
        <FormErrorNotice formError={formError} />
        <Form action="/reset">
          <input type="hidden" name="t" value={link} />
          <input type="hidden" name="email" value={account.email} autocomplete="username" />
          <NewPassword name="password" error={errorAt(formError, "password")} />
          <SubmitButton>{i18n.t("reset.submit")}</SubmitButton>
        </Form>
      </div>
    ),
  });
}

function accountOfLink({ settings: { store }, now }: Visit, link: string): Account | null {
  const accountId = store.oneTimeLinks.findByValue("reset", link, now)?.accountId ?? null;
  const account = accountId === null ? undefined : store.accounts.findById(accountId);
  return account === undefined || account.disabled ? null : account;
}
