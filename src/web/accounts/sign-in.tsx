/** Signing in and out: `/sign-in` asks for the password, `/sign-in/code` for the second factor. */
import { Details } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ActionForm, FormFields, LinkButton } from "../components/forms.tsx";
import { OutcomeNotice, outcomesOf, redirectWith } from "../components/outcome.tsx";
import { Alert } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { readForm } from "../form.tsx";
import { page } from "../page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  CommandLine,
  CredentialForm,
  codeField,
  emailField,
  emailIn,
  type FormError,
  onlyPassword,
  plainPage,
  throttledError,
  UnencryptedNotice,
  wrongCodeError,
} from "./credentials.tsx";
import { afterSignIn, callerOf, endCurrentSession, logRefusal, nextPath, startSession } from "./session.ts";

const outcomes = outcomesOf("/sign-in", ["reset", "signed-out", "over"], (outcome) => `signIn.done.${outcome}`);

export function getSignIn(visit: Visit): Response {
  const next = nextPath(visit.url.searchParams.get("next"), afterSignIn);
  return visit.account === null ? signInPage(visit, { next }) : redirect(visit, next);
}

export async function postSignIn(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const email = emailIn(fields);
  const next = nextPath(fields.text("next"), afterSignIn);
  const step = await visit.settings.accounts.actions.signIn({ email, password: fields.text("password"), caller: callerOf(visit) });
  switch (step.status) {
    case "signed-in":
      return redirect(await startSession(visit, step.account, step.opened), next);
    case "second-factor":
      return codePage(visit, { challenge: step.challenge, next });
    case "refused":
      logRefusal(visit, step.because, step.accountId);
      return signInPage(visit, { next, email, formError: refusal(visit) });
    default:
      return signInPage(visit, { next, email, formError: throttledError(visit, step) });
  }
}

/** The same text for a wrong password and an unknown account, to prevent enumeration. */
function refusal({ i18n }: Visit): FormError {
  return { whole: i18n.t("signIn.refused"), status: 403 };
}

interface SignInPageProps {
  readonly next: string;
  readonly email?: string;
  readonly formError?: FormError | null;
}

export function signInPage(visit: Visit, { next, email = "", formError = null }: SignInPageProps): Response {
  const { i18n, settings } = visit;
  if (!settings.store.accounts.hasAny())
    return page(visit, { title: i18n.t("signIn.title"), noIndex: true, children: <FirstAccountHelp /> });
  return plainPage(visit, {
    title: "signIn.title",
    formError,
    secret: false,
    children: (
      <>
        {formError === null && <OutcomeNotice of={outcomes} />}
        <UnencryptedNotice />
        <Alert kind="poor">{formError?.whole}</Alert>
        <ProviderSignIn next={next} />
        <ActionForm action="/sign-in" hidden={{ next }} submit="signIn.submit">
          <FormFields form={{ email: { ...emailField, autofocus: true }, password: onlyPassword }} values={{ email }} />
        </ActionForm>
        <SignInHelp />
      </>
    ),
  });
}

/** A link, because the CSP lets forms lead to this server only. */
function ProviderSignIn({ next }: { readonly next: string }) {
  const { i18n, settings } = useVisit();
  const { oidc } = settings.accounts;
  if (oidc === null) return null;
  const provider = oidc.label;
  if (oidc.fault() !== null) return <Notice kind="warn">{i18n.t("signIn.oidc.off", { provider })}</Notice>;
  return (
    <p>
      <LinkButton href={`/sign-in/oidc?${new URLSearchParams({ next })}`} text={() => i18n.t("signIn.oidc.button", { provider })} />
    </p>
  );
}

function SignInHelp() {
  const { i18n, settings } = useVisit();
  return (
    <>
      {settings.mail === null ? (
        <Details summary={i18n.t("signIn.forgotten")}>
          <p>{i18n.t("signIn.forgottenText")}</p>
          <CommandLine>assay user reset-password you@example.com</CommandLine>
        </Details>
      ) : (
        <p>
          <a href="/forgotten">{i18n.t("signIn.forgotten")}</a>
        </p>
      )}
      {settings.config["accounts.signup"] !== "closed" && (
        <p>
          {i18n.t("signIn.signUp")} <a href="/sign-up">{i18n.t("signIn.signUpLink")}</a>
        </p>
      )}
    </>
  );
}

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
      return redirect(
        await startSession(visit, step.account, step.opened),
        step.by === "recovery-code" ? "/account/second-factor?done=recovery-code" : next,
      );
    case "wrong-code":
      logRefusal(visit, "code", step.accountId);
      return codePage(visit, { challenge, next, formError: wrongCodeError(visit) });
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
  return plainPage(visit, {
    title: "secondFactor.step.title",
    formError,
    children: (
      <>
        <p>{i18n.t("secondFactor.step.intro")}</p>
        <CredentialForm
          action="/sign-in/code"
          hidden={{ challenge, next }}
          fields={{ code: { ...codeField, autofocus: true } }}
          formError={formError}
          submit="secondFactor.step.submit"
        />
        <Details summary={i18n.t("secondFactor.step.lost")}>
          <p>{i18n.t("secondFactor.step.lostText")}</p>
          <CommandLine>assay user disable-2fa you@example.com</CommandLine>
        </Details>
      </>
    ),
  });
}

/** Instructions while no account exists: three ways to create the first. */
function FirstAccountHelp() {
  const { i18n } = useVisit();
  return (
    <>
      <h1>{i18n.t("signIn.empty.title")}</h1>
      <p>{i18n.t("signIn.empty.intro")}</p>
      <ol>
        <li>
          {i18n.t("signIn.empty.link")}
          <CommandLine>assay user setup-link</CommandLine>
        </li>
        <li>
          {i18n.t("signIn.empty.create")}
          <CommandLine>assay user create you@example.com --admin --password-stdin</CommandLine>
        </li>
        <li>{i18n.t("signIn.empty.settings")}</li>
      </ol>
    </>
  );
}

export async function postSignOut(visit: Visit): Promise<Response> {
  await readForm(visit);
  await endCurrentSession(visit);
  return redirectWith(visit, outcomes, "signed-out");
}

/** A form rather than a link, since any site could trigger a GET. */
export function getSignOut(visit: Visit): Response {
  const { i18n, account } = visit;
  return plainPage(visit, {
    title: "signOut.title",
    wide: true,
    children:
      account === null ? (
        <p>{i18n.t("signOut.nobody")}</p>
      ) : (
        <>
          <p>{i18n.t("signOut.text", { email: account.email })}</p>
          <ActionForm action="/sign-out" submit="signOut.submit" />
        </>
      ),
  });
}
