/** `/account`: mail address, password, language, theme and sessions. */
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import { type Account, themes } from "../../store/accounts.ts";
import { type Session, sessionDays, sessionIdleDays } from "../../store/sessions.ts";
import { type I18n, languageName } from "../../text/translator.ts";
import { SelectField } from "../components/field.tsx";
import { LastUse } from "../components/last-use.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { setCookie } from "../cookies.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { accountPage } from "./account-page.tsx";
import {
  answerTo,
  CurrentPassword,
  EmailField,
  errorAt,
  type FormError,
  FormErrorNotice,
  fieldError,
  NewPassword,
  newPasswordError,
  reauthenticationError,
} from "./fields.tsx";
import { callerOf, startSession } from "./session.ts";

/** Confirmations, named by the query parameter `done`. */
const confirmations = ["made", "email", "password", "preferences", "sessions", "second-factor-off", "unlinked"] as const;
type Confirmation = (typeof confirmations)[number];

export const getProfile: GetFor<"accounts"> = (visit, account) => profilePage(visit, account);

export const postProfile: PostFor<"accounts"> = (visit, account, fields) => {
  switch (fields.text("do")) {
    case "email":
      return changeEmail(visit, account, fields);
    case "password":
      return changePassword(visit, account, fields);
    case "unlink":
      return removeLink(visit, account, fields);
    case "preferences":
      return changePreferences(visit, account, fields);
    case "end-session":
      return endSession(visit, account, fields);
    case "end-others":
      return endOthers(visit, account);
    default:
      throw formMalformed();
  }
};

async function changeEmail(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const email = fields.text("email").slice(0, emailCharsMax + 1);
  const proof = { account, password: fields.text("password"), caller: callerOf(visit) };
  const outcome = await accounts.actions.changeEmail(proof, email);
  if (outcome.status === "renamed") {
    log.info("mail address changed", { account: account.id });
    return done(visit, "email");
  }
  const errors = { "email-taken": "emailTaken", "email-invalid": "emailInvalid" } as const;
  const formError =
    outcome.status === "refused"
      ? fieldError("email", visit.i18n.t(`credentials.errors.${errors[outcome.fault]}`))
      : reauthenticationError(visit, outcome);
  return profilePage(visit, account, { form: "email", email, formError });
}

async function changePassword(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const proof = { account, password: fields.text("password"), caller: callerOf(visit) };
  const outcome = await accounts.actions.changePassword(proof, fields.text("new-password"));
  if (outcome.status === "changed") {
    log.info("password changed", { account: account.id });
    return done(await startSession(visit, account, outcome.opened), "password");
  }
  const formError =
    outcome.status === "refused" ? newPasswordError(visit, "new-password", outcome.fault) : reauthenticationError(visit, outcome);
  return profilePage(visit, account, { form: "password", formError });
}

async function removeLink(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const proof = { account, password: fields.text("password"), caller: callerOf(visit) };
  const outcome = await accounts.actions.removeLink(proof);
  if (outcome.status === "changed") {
    log.info("link to an identity removed", { account: account.id });
    return done(await startSession(visit, account, outcome.opened), "unlinked");
  }
  return profilePage(visit, account, { form: "unlink", formError: reauthenticationError(visit, outcome) });
}

async function changePreferences(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const theme = themes.find((one) => one === fields.text("theme"));
  const language = fields.text("locale");
  const locale = language === "" ? null : visit.settings.texts.locales.find((one) => one === language);
  if (theme === undefined || locale === undefined) throw formMalformed();
  await visit.settings.store.accounts.setPreferences(account.id, { theme, locale });
  // A stored `?locale=` cookie would otherwise override the new choice.
  visit.setCookies.push(setCookie("locale", "", visit.server.https, 0));
  return done(visit, "preferences");
}

async function endSession(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const id = fields.text("session");
  if (!/^\d{1,15}$/.test(id)) throw formMalformed();
  // The current session ends by signing out, which also deletes the cookie.
  if (Number(id) !== visit.session.session.id) await visit.settings.store.sessions.end(account.id, Number(id));
  return done(visit, "sessions");
}

async function endOthers(visit: SignedInVisit, account: Account): Promise<Response> {
  await visit.settings.store.sessions.endOthers(account.id, visit.session.session.id);
  return done(visit, "sessions");
}

function done(visit: Visit, confirmation: Confirmation): Response {
  return redirect(visit, `/account?done=${confirmation}`);
}

/** Form shown again with its error. */
interface RejectedForm {
  readonly form: "email" | "password" | "unlink";
  /** Mail address as typed. */
  readonly email?: string;
  readonly formError: FormError;
}

function profilePage(visit: SignedInVisit, account: Account, rejected: RejectedForm | null = null): Response {
  const { i18n, url, settings } = visit;
  const { passwordHash } = settings.store.credentials.get(account.id);
  const confirmation = confirmations.find((one) => one === url.searchParams.get("done"));
  return accountPage(visit, {
    title: "account.title",
    lead: (
      <>
        {i18n.t("account.signedInAs", { email: account.email, plan: i18n.t(`plans.names.${account.plan}`) })}{" "}
        <a href="/plans">{i18n.t("account.plans")}</a>
      </>
    ),
    actions: <SignOut />,
    ...answerTo(rejected?.formError ?? null),
    done: confirmation === undefined || rejected !== null ? null : i18n.t(`account.done.${confirmation}`),
    children: (
      <>
        <PreferencesSection account={account} />
        {passwordHash === null ? (
          <p>{i18n.t("account.noPassword")}</p>
        ) : (
          <>
            <EmailSection email={rejected?.email ?? account.email} formError={rejected?.form === "email" ? rejected.formError : null} />
            <PasswordSection formError={rejected?.form === "password" ? rejected.formError : null} />
          </>
        )}
        <LinkSection account={account} formError={rejected?.form === "unlink" ? rejected.formError : null} />
        <SessionsSection account={account} current={visit.session.session.id} />
      </>
    ),
  });
}

interface WithFormError {
  readonly formError: FormError | null;
}

function SignOut() {
  const i18n = useI18n();
  return (
    <Form action="/sign-out">
      <SubmitButton kind="plain">{i18n.t("signOut.submit")}</SubmitButton>
    </Form>
  );
}

function PreferencesSection({ account }: { readonly account: Account }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="preferences">
      <h2 id="preferences">{i18n.t("account.preferences.title")}</h2>
      <Form action="/account" class="inline">
        <input type="hidden" name="do" value="preferences" />
        <SelectField
          name="locale"
          label={i18n.t("account.preferences.language")}
          value={account.locale ?? ""}
          options={[
            { value: "", text: i18n.t("account.preferences.asBrowser") },
            ...settings.texts.locales.map((locale) => ({ value: locale, text: languageName(settings.texts, locale) })),
          ]}
        />
        <SelectField
          name="theme"
          label={i18n.t("account.preferences.theme")}
          value={account.theme}
          options={themes.map((theme) => ({ value: theme, text: i18n.t(`account.preferences.themes.${theme}`) }))}
        />
        <SubmitButton>{i18n.t("account.preferences.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

function EmailSection({ email, formError }: WithFormError & { readonly email: string }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="email-title">
      <h2 id="email-title">{i18n.t("account.email.title")}</h2>
      <p>{i18n.t(settings.mail === null ? "account.email.text" : "account.email.textWithMail")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="email" />
        <EmailField value={email} error={errorAt(formError, "email")} />
        <CurrentPassword name="password" id="email-password" error={errorAt(formError, "password")} />
        <SubmitButton>{i18n.t("account.email.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

function PasswordSection({ formError }: WithFormError) {
  const i18n = useI18n();
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{i18n.t("account.password.title")}</h2>
      <p>{i18n.t("account.password.text")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="password" />
        <CurrentPassword name="password" id="current-password" error={errorAt(formError, "password")} />
        <NewPassword name="new-password" error={errorAt(formError, "new-password")} />
        <SubmitButton>{i18n.t("account.password.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

/** Null without a provider and without a link. A link outlives the settings of its provider, and names it by its host then. */
function LinkSection({ account, formError }: { readonly account: Account; readonly formError: FormError | null }) {
  const { i18n, settings } = useVisit();
  const { oidc, passwordHash } = settings.store.credentials.get(account.id);
  const provider = settings.accounts.oidc?.label ?? (oidc ? URL.parse(oidc.issuer)?.host : null) ?? null;
  if (provider === null) return null;
  return (
    <section aria-labelledby="link-title">
      <h2 id="link-title">{i18n.t("account.oidc.title", { provider })}</h2>
      <p>
        {oidc ? i18n.t("account.oidc.linked", { provider, day: i18n.date(oidc.linkedAt) }) : i18n.t("account.oidc.unlinked", { provider })}
      </p>
      {oidc && passwordHash === null && <p>{i18n.t("account.oidc.only")}</p>}
      {oidc && passwordHash !== null && (
        <>
          <p>{i18n.t("account.oidc.removeText")}</p>
          <FormErrorNotice formError={formError} />
          <Form action="/account">
            <input type="hidden" name="do" value="unlink" />
            <CurrentPassword name="password" id="unlink-password" error={errorAt(formError, "password")} />
            <SubmitButton kind="danger">{i18n.t("account.oidc.remove")}</SubmitButton>
          </Form>
        </>
      )}
    </section>
  );
}

function SessionsSection({ account, current }: { readonly account: Account; readonly current: number }) {
  const { i18n, settings, now } = useVisit();
  const sessions = settings.store.sessions.listOfAccount(account.id, now).toReversed();
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{i18n.t("account.sessions.title")}</h2>
      <DataTable
        caption={i18n.t("account.sessions.caption")}
        captionUnseen
        rows={sessions}
        columns={[
          { label: i18n.t("account.sessions.browser"), cell: ({ userAgent }) => browserOf(userAgent, i18n) },
          { label: i18n.t("account.sessions.address"), cell: ({ address }) => <UntrustedText>{address}</UntrustedText> },
          { label: i18n.t("account.sessions.created"), cell: ({ createdAt }) => <Instant at={createdAt} relative={false} /> },
          {
            label: i18n.t("account.sessions.lastSeen"),
            cell: ({ createdAt, lastSeenAt }) => <LastUse createdAt={createdAt} hour={lastSeenAt} />,
          },
          {
            label: i18n.t("account.sessions.end"),
            cell: (session) => (session.id === current ? i18n.t("account.sessions.current") : <EndSession session={session} />),
          },
        ]}
      />
      <p class="hint">{i18n.t("account.sessions.addressHint", { idleDays: sessionIdleDays, days: sessionDays })}</p>
      {sessions.length > 1 && (
        <Form action="/account">
          <input type="hidden" name="do" value="end-others" />
          <SubmitButton kind="danger">{i18n.t("account.sessions.endOthers")}</SubmitButton>
        </Form>
      )}
    </section>
  );
}

/** An unknown client is shown by its User-Agent. */
function browserOf(userAgent: string, i18n: I18n) {
  if (userAgent === "") return i18n.t("account.sessions.unknown");
  return browserName(userAgent) ?? <UntrustedText>{userAgent}</UntrustedText>;
}

function EndSession({ session: { id, createdAt } }: { readonly session: Session }) {
  const i18n = useI18n();
  return (
    <Form action="/account">
      <input type="hidden" name="do" value="end-session" />
      <input type="hidden" name="session" value={String(id)} />
      <SubmitButton kind="plain" compact label={i18n.t("account.sessions.endOf", { moment: i18n.dateTime(createdAt) })}>
        {i18n.t("account.sessions.end")}
      </SubmitButton>
    </Form>
  );
}

/** Readable browser name from a User-Agent; for display only, since clients send what they like. */

/** First match wins: later patterns also match the earlier browsers. */
const browsers: readonly (readonly [name: string, version: RegExp])[] = [
  ["Edge", /\bEdg(?:A|iOS)?\/(\d{1,4})/],
  ["Opera", /\bOPR\/(\d{1,4})/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d{1,4})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d{1,4})/],
  ["Safari", /\bVersion\/(\d{1,4})[\d.]* (?:Mobile\/\w+ )?Safari\//],
];
const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ["Windows", /\bWindows NT\b/],
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** `Firefox 145, Linux`; null for an unknown User-Agent. */
export function browserName(userAgent: string): string | null {
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = systems.find(([, mark]) => mark.test(userAgent))?.[0];
    return system === undefined ? `${name} ${version}` : `${name} ${version}, ${system}`;
  }
  return null;
}
