/** `/sign-in`: password, then second factor; instructions while no account exists. */
import { Details } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { useI18n } from "../../report/context.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form, readForm } from "../form.tsx";
import { page } from "../page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  answerTo,
  CodeField,
  CommandLine,
  CurrentPassword,
  EmailField,
  errorAt,
  type FormError,
  FormErrorNotice,
  fieldError,
  throttledError,
  UnencryptedNotice,
} from "./fields.tsx";
import { afterSignIn, callerOf, continueAfterSignIn, endCurrentSession, logRefusal, nextPath } from "./session.ts";

/** Confirmations, named by the query parameter `done`. */
const confirmations = ["reset", "signed-out", "over"] as const;

export function getSignIn(visit: Visit): Response {
  const next = nextPath(visit.url.searchParams.get("next"), afterSignIn);
  return visit.account === null ? signInPage(visit, { next }) : redirect(visit, next);
}

export async function postSignIn(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const email = fields.text("email").slice(0, emailCharsMax + 1);
  const next = nextPath(fields.text("next"), afterSignIn);
  const step = await visit.settings.accounts.actions.signIn({ email, password: fields.text("password"), caller: callerOf(visit) });
  switch (step.status) {
    case "signed-in":
      return continueAfterSignIn(visit, step, next);
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
  return { field: null, whole: i18n.t("signIn.refused"), status: 403, headers: {} };
}

interface SignInPageProps {
  readonly next: string;
  readonly email?: string;
  readonly formError?: FormError | null;
}

export function signInPage(visit: Visit, { next, email = "", formError = null }: SignInPageProps): Response {
  const { i18n, url, settings } = visit;
  const confirmation = confirmations.find((one) => one === url.searchParams.get("done"));
  return page(visit, {
    ...answerTo(formError),
    title: i18n.t("signIn.title"),
    noIndex: true,
    children: settings.store.accounts.hasAny() ? (
      <div class="narrow">
        <h1>{i18n.t("signIn.title")}</h1>
        {confirmation !== undefined && formError === null && (
          <Notice kind="good" alert>
            {i18n.t(`signIn.done.${confirmation}`)}
          </Notice>
        )}
        <UnencryptedNotice />
        <FormErrorNotice formError={formError} />
        <ProviderSignIn next={next} />
        <Form action="/sign-in">
          <input type="hidden" name="next" value={next} />
          <EmailField value={email} autofocus />
          <CurrentPassword name="password" label={i18n.t("credentials.password")} />
          <SubmitButton>{i18n.t("signIn.submit")}</SubmitButton>
        </Form>
        <SignInHelp />
      </div>
    ) : (
      <FirstAccountHelp />
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
      <a class="button" href={`/sign-in/oidc?${new URLSearchParams({ next })}`}>
        {i18n.t("signIn.oidc.button", { provider })}
      </a>
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

function FirstAccountHelp() {
  const i18n = useI18n();
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
  return redirect(visit, "/sign-in?done=signed-out");
}

export function getSignOut(visit: Visit): Response {
  const { i18n, account } = visit;
  return page(visit, {
    title: i18n.t("signOut.title"),
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{i18n.t("signOut.title")}</h1>
        {account === null ? (
          <p>{i18n.t("signOut.nobody")}</p>
        ) : (
          <>
            <p>{i18n.t("signOut.text", { email: account.email })}</p>
            <Form action="/sign-out">
              <SubmitButton>{i18n.t("signOut.submit")}</SubmitButton>
            </Form>
          </>
        )}
      </>
    ),
  });
}
