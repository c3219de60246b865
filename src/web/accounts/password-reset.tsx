/**
 * `/forgotten` mails a link that sets a new password. The answer is the same for every address, to prevent enumeration.
 * `/reset?t=` sets the password by this link, or by one from the operator.
 */
import { messageOf } from "../../base/log.ts";
import { createHourlyQuota } from "../../channels/pacing.ts";
import { isEmail } from "../../parse/mail/address.ts";
import { Notice } from "../../report/components/notice.tsx";
import type { Account } from "../../store/accounts.ts";
import { linkHours } from "../../store/one-time-links.ts";
import { notFound } from "../errors.ts";
import { readForm } from "../form.tsx";
import { linkPath } from "../link-paths.ts";
import { redirect } from "../response.ts";
import type { AccountMails, PagesSettings } from "../settings.ts";
import { type PageHandler, publicOrigin, type Visit } from "../visit.ts";
import {
  CredentialForm,
  emailError,
  emailField,
  emailIn,
  type FormError,
  newPassword,
  newPasswordError,
  plainPage,
  throttledError,
  UnencryptedNotice,
} from "./credentials.tsx";
import { unusableLinkPage } from "./registration.tsx";
import { callerOf } from "./session.ts";

const path = "/forgotten";
/** Each link voids the one before, so others must not be able to request many. Fewer than the mails that one account may get. */
const linksPerHourMax = 3;

export const getForgotten: PageHandler = (visit) => {
  mailsOf(visit.settings);
  return forgottenPage(visit);
};

/** The limit of links is one for all visitors, so it is created with the routes. */
export function createPostForgotten(settings: PagesSettings): PageHandler {
  const links = createHourlyQuota(linksPerHourMax, settings);
  return async (visit) => {
    const mails = mailsOf(visit.settings);
    const email = emailIn(await readForm(visit)).trim();
    if (!isEmail(email)) return forgottenPage(visit, email, emailError(visit, "email-invalid"));
    const seconds = visit.settings.accounts.actions.throttles.attemptResetMail(callerOf(visit));
    if (seconds > 0) return forgottenPage(visit, email, throttledError(visit, { status: "throttled", seconds }));
    // After the answer, whose time then depends on no account.
    setTimeout(() => void sendLink(visit, mails, email, links.take), 0);
    return redirect(visit, `${path}?done=sent`);
  };
}

/** Ignores unknown and disabled accounts, and those that sign in by an identity provider alone. Never rejects. */
async function sendLink(visit: Visit, mails: AccountMails, email: string, mayHaveLink: (accountId: string) => boolean): Promise<void> {
  const { settings, now } = visit;
  const { store, log } = settings;
  try {
    const account = store.accounts.findByEmail(email);
    if (account === undefined || account.disabled || store.credentials.get(account.id).passwordHash === null) return;
    if (!mayHaveLink(String(account.id))) {
      log.warn("password reset not mailed", { account: account.id, because: "too-many" });
      return;
    }
    const created = await store.oneTimeLinks.create({ kind: "reset", accountId: account.id }, now);
    if (typeof created === "string") {
      log.warn("password reset not mailed", { account: account.id, because: created });
      return;
    }
    const url = `${publicOrigin(visit)}${linkPath("reset", created.value)}`;
    const outcome = await mails.reset(account, url, created.link.expiresAt);
    log.info("password reset requested", { account: account.id, mail: outcome });
  } catch (error) {
    log.error("password reset failed", { error: messageOf(error) });
  }
}

/** @throws PageError 404 without a mail server. */
function mailsOf({ mail }: PagesSettings): AccountMails {
  if (mail === null) throw notFound();
  return mail;
}

function forgottenPage(visit: Visit, email = "", formError: FormError | null = null): Response {
  const { i18n, url } = visit;
  const isDone = formError === null && url.searchParams.get("done") === "sent";
  return plainPage(visit, {
    title: "forgotten.title",
    formError,
    children: (
      <>
        {isDone && <Notice kind="good" alert text={i18n.t("forgotten.sent", { hours: linkHours.reset })} />}
        <p>{i18n.t("forgotten.what")}</p>
        <CredentialForm action={path} fields={{ email: emailField }} email={email} formError={formError} submit="forgotten.submit" />
        <p class="muted">{i18n.t("forgotten.notMailed")}</p>
        <p>
          <a href="/sign-in">{i18n.t("forgotten.back")}</a>
        </p>
      </>
    ),
  });
}

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
  return plainPage(visit, {
    title: "reset.title",
    formError,
    children: (
      <>
        <p>{i18n.t("reset.for", { email: account.email })}</p>
        <p>{i18n.t("reset.means")}</p>
        <UnencryptedNotice />
        <CredentialForm action="/reset" hidden={{ t: link }} fields={{ password: newPassword }} formError={formError} submit="reset.submit">
          <input type="hidden" name="email" value={account.email} autocomplete="username" />
        </CredentialForm>
      </>
    ),
  });
}

function accountOfLink({ settings: { store }, now }: Visit, link: string): Account | null {
  const accountId = store.oneTimeLinks.findByValue("reset", link, now)?.accountId ?? null;
  const account = accountId === null ? undefined : store.accounts.findById(accountId);
  return account === undefined || account.disabled ? null : account;
}
