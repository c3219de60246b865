/** `/account`: mail address, password, language, theme and sessions. */
import { Instant } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { type Account, themes } from "../../store/accounts.ts";
import { sessionDays, sessionIdleDays } from "../../store/sessions.ts";
import { type I18n, languageName } from "../../text/translator.ts";
import { ActionForm, choiceOf, type FormDescription, FormFields, RowAction } from "../components/forms.tsx";
import { LastUse } from "../components/last-use.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { setCookie } from "../cookies.ts";
import { choiceIn, type Fields, idIn } from "../form.tsx";
import { byOperation, type GetFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import type { SignedInVisit, Visit } from "../visit.ts";
import {
  answerTo,
  currentPassword,
  emailError,
  emailField,
  emailIn,
  newPassword,
  newPasswordError,
  OperationForm,
  type RejectedForm,
  reauthenticationError,
} from "./credentials.tsx";
import { callerOf, startSession } from "./session.ts";

const path = "/account";
const outcomes = outcomesOf(
  path,
  ["made", "email", "password", "preferences", "sessions", "second-factor-off", "unlinked"],
  (outcome) => `account.done.${outcome}`,
);

const preferencesForm = {
  locale: {
    control: "select",
    label: "account.preferences.language",
    options: ({ i18n, settings: { texts } }) => [
      { value: "", text: i18n.t("account.preferences.asBrowser") },
      ...texts.locales.map((locale) => ({ value: locale, text: languageName(texts, locale) })),
    ],
  },
  theme: choiceOf(themes, (theme) => `account.preferences.themes.${theme}`, { label: "account.preferences.theme" }),
} satisfies FormDescription;

const emailForm = { email: emailField, password: { ...currentPassword, id: "email-password" } };
const passwordForm = { password: { ...currentPassword, id: "current-password" }, "new-password": newPassword };
const unlinkForm = { password: { ...currentPassword, id: "unlink-password" } };

export const getProfile: GetFor<"accounts"> = (visit, account) => profilePage(visit, account);

export const postProfile = byOperation<Account>({
  email: changeEmail,
  password: changePassword,
  unlink: removeLink,
  preferences: changePreferences,
  "end-session": endSession,
  "end-others": endOtherSessions,
});

function proofIn(visit: Visit, account: Account, fields: Fields) {
  return { account, password: fields.text("password"), caller: callerOf(visit) };
}

async function changeEmail(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const email = emailIn(fields);
  const outcome = await accounts.actions.changeEmail(proofIn(visit, account, fields), email);
  if (outcome.status === "renamed") {
    log.info("mail address changed", { account: account.id });
    return redirectWith(visit, outcomes, "email");
  }
  const formError = outcome.status === "refused" ? emailError(visit, outcome.fault) : reauthenticationError(visit, outcome);
  return profilePage(visit, account, { operation: "email", email, formError });
}

async function changePassword(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const outcome = await accounts.actions.changePassword(proofIn(visit, account, fields), fields.text("new-password"));
  if (outcome.status === "changed") {
    log.info("password changed", { account: account.id });
    return redirectWith(await startSession(visit, account, outcome.opened), outcomes, "password");
  }
  const formError =
    outcome.status === "refused" ? newPasswordError(visit, "new-password", outcome.fault) : reauthenticationError(visit, outcome);
  return profilePage(visit, account, { operation: "password", formError });
}

async function removeLink(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const { accounts, log } = visit.settings;
  const outcome = await accounts.actions.removeLink(proofIn(visit, account, fields));
  if (outcome.status === "changed") {
    log.info("link to an identity removed", { account: account.id });
    return redirectWith(await startSession(visit, account, outcome.opened), outcomes, "unlinked");
  }
  return profilePage(visit, account, { operation: "unlink", formError: reauthenticationError(visit, outcome) });
}

async function changePreferences(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { store, texts } = visit.settings;
  const theme = choiceIn(fields, "theme", themes);
  const locale = fields.text("locale") === "" ? null : choiceIn(fields, "locale", texts.locales);
  await store.accounts.setPreferences(account.id, { theme, locale });
  // A stored `?locale=` cookie would otherwise override the new choice.
  visit.setCookies.push(setCookie("locale", "", visit.server.https, 0));
  return redirectWith(visit, outcomes, "preferences");
}

async function endSession(visit: SignedInVisit, account: Account, fields: Fields): Promise<Response> {
  const id = idIn(fields, "session");
  // The current session ends by signing out, which also deletes the cookie.
  if (id !== visit.session.session.id) await visit.settings.store.sessions.end(account.id, id);
  return redirectWith(visit, outcomes, "sessions");
}

async function endOtherSessions(visit: SignedInVisit, account: Account): Promise<Response> {
  await visit.settings.store.sessions.endOthers(account.id, visit.session.session.id);
  return redirectWith(visit, outcomes, "sessions");
}

function profilePage(visit: SignedInVisit, account: Account, rejected: RejectedForm | null = null): Response {
  const { i18n, settings } = visit;
  const { passwordHash } = settings.store.credentials.get(account.id);
  const email = rejected?.email ?? account.email;
  return accountPage(visit, {
    title: "account.title",
    lead: (
      <>
        {i18n.t("account.signedInAs", { email: account.email, plan: i18n.t(`plans.names.${account.plan}`) })}{" "}
        <a href="/plans">{i18n.t("account.plans")}</a>
      </>
    ),
    actions: <ActionForm action="/sign-out" kind="plain" submit="signOut.submit" />,
    ...answerTo(rejected?.formError ?? null),
    outcomes,
    children: (
      <>
        <PreferencesSection account={account} />
        {passwordHash === null ? (
          <p>{i18n.t("account.noPassword")}</p>
        ) : (
          <>
            <PageSection id="email-title" title="account.email.title">
              <p>{i18n.t(settings.mail === null ? "account.email.text" : "account.email.textWithMail")}</p>
              <OperationForm operation="email" fields={emailForm} email={email} rejected={rejected} submit="account.email.submit" />
            </PageSection>
            <PageSection id="password-title" title="account.password.title">
              <p>{i18n.t("account.password.text")}</p>
              <OperationForm operation="password" fields={passwordForm} rejected={rejected} submit="account.password.submit" />
            </PageSection>
          </>
        )}
        <LinkSection account={account} rejected={rejected} />
        <SessionsSection account={account} current={visit.session.session.id} />
      </>
    ),
  });
}

function PreferencesSection({ account: { locale, theme } }: { readonly account: Account }) {
  return (
    <PageSection id="preferences" title="account.preferences.title">
      <ActionForm action={path} hidden={{ do: "preferences" }} class="inline" submit="account.preferences.submit">
        <FormFields form={preferencesForm} values={{ locale: locale ?? "", theme }} />
      </ActionForm>
    </PageSection>
  );
}

/** Null without a provider and without a link. A link outlives the settings of its provider, and names it by its host then. */
function LinkSection({ account, rejected }: { readonly account: Account; readonly rejected: RejectedForm | null }) {
  const { i18n, settings } = useVisit();
  const { oidc, passwordHash } = settings.store.credentials.get(account.id);
  const provider = settings.accounts.oidc?.label ?? (oidc ? URL.parse(oidc.issuer)?.host : null) ?? null;
  if (provider === null) return null;
  return (
    <PageSection id="link-title" title={() => i18n.t("account.oidc.title", { provider })}>
      <p>
        {oidc ? i18n.t("account.oidc.linked", { provider, day: i18n.date(oidc.linkedAt) }) : i18n.t("account.oidc.unlinked", { provider })}
      </p>
      {oidc && passwordHash === null && <p>{i18n.t("account.oidc.only")}</p>}
      {oidc && passwordHash !== null && (
        <>
          <p>{i18n.t("account.oidc.removeText")}</p>
          <OperationForm operation="unlink" fields={unlinkForm} rejected={rejected} submit="account.oidc.remove" kind="danger" />
        </>
      )}
    </PageSection>
  );
}

function SessionsSection({ account, current }: { readonly account: Account; readonly current: number }) {
  const { i18n, settings, now } = useVisit();
  const sessions = settings.store.sessions.listOfAccount(account.id, now).toReversed();
  return (
    <PageSection id="sessions" title="account.sessions.title">
      <TextTable
        caption="account.sessions.caption"
        rows={sessions}
        columns={{
          "account.sessions.browser": ({ userAgent }) => browserOf(userAgent, i18n),
          "account.sessions.address": ({ address }) => <UntrustedText>{address}</UntrustedText>,
          "account.sessions.created": ({ createdAt }) => <Instant at={createdAt} relative={false} />,
          "account.sessions.lastSeen": ({ createdAt, lastSeenAt }) => <LastUse createdAt={createdAt} hour={lastSeenAt} />,
          "account.sessions.end": ({ id, createdAt }) =>
            id === current ? (
              i18n.t("account.sessions.current")
            ) : (
              <RowAction
                action={path}
                hidden={{ do: "end-session", session: id }}
                kind="plain"
                submit="account.sessions.end"
                of={{ moment: i18n.dateTime(createdAt) }}
              />
            ),
        }}
      />
      <p class="hint">{i18n.t("account.sessions.addressHint", { idleDays: sessionIdleDays, days: sessionDays })}</p>
      {sessions.length > 1 && <ActionForm action={path} hidden={{ do: "end-others" }} kind="danger" submit="account.sessions.endOthers" />}
    </PageSection>
  );
}

/** An unknown client is shown by its User-Agent. */
function browserOf(userAgent: string, i18n: I18n) {
  if (userAgent === "") return i18n.t("account.sessions.unknown");
  return browserName(userAgent) ?? <UntrustedText>{userAgent}</UntrustedText>;
}

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
