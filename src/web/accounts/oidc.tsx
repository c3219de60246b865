/** Sign-in by an identity provider: to the provider, back from it, and the password that confirms a new link. */
import type { OidcSignIn } from "../../accounts/oidc/oidc-sign-in.ts";
import type { PasswordStep } from "../../accounts/sign-in.ts";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { cookieOf, setCookie } from "../cookies.ts";
import { notFound, oidcRefusedPage } from "../errors.ts";
import { readForm } from "../form.tsx";
import { errorPage } from "../page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import {
  CredentialForm,
  type FormError,
  onlyPassword,
  plainPage,
  reauthenticationError,
  throttledError,
  UnencryptedNotice,
} from "./credentials.tsx";
import { afterSignIn, callerOf, logRefusal, nextPath, startSession } from "./session.ts";
import { codePage, signInPage } from "./sign-in.tsx";

/** Sends the browser to the provider. Only the public URL has a cookie that the way back finds. */
export async function getOidcStart(visit: Visit): Promise<Response> {
  const oidc = providerOf(visit);
  const { searchParams } = visit.url;
  const next = nextPath(searchParams.get("next"), afterSignIn);
  if (visit.account !== null) return redirect(visit, next);
  const { public_url: publicUrl } = visit.settings.config;
  // Behind a proxy that hides the requested host, the public URL looks like another one: once is enough.
  if (publicUrl !== null && visit.server.origin !== publicUrl && !searchParams.has("moved"))
    return redirect(visit, `${publicUrl}/sign-in/oidc?${new URLSearchParams({ next, moved: "1" })}`);
  const begun = await oidc.begin(next);
  if (begun === null) throw oidcRefusedPage("unreachable", oidc.label);
  visit.setCookies.push(setCookie("oidc", begun.cookie, visit.server.https, begun.cookieSeconds));
  return redirect(visit, begun.url);
}

/** The redirection from the provider. */
export async function getOidcCallback(called: Visit): Promise<Response> {
  const oidc = providerOf(called);
  const { https } = called.server;
  called.setCookies.push(setCookie("oidc", "", https, 0));
  const cookie = cookieOf(called.request, "oidc", https);
  const step = await oidc.finish({ cookie, query: called.url.searchParams, caller: callerOf(called) });
  // No link of the page, such as that to another language, repeats the code.
  const visit: Visit = { ...called, url: new URL("/sign-in", called.url) };
  if (step.status === "confirm-link") return linkPage(visit, { provider: oidc.label, ...step });
  if (step.status !== "oidc-refused") return answerToStep(visit, step, step.next);
  logRefusal(visit, `oidc ${step.because}`, step.accountId, step.detail);
  return errorPage(visit, oidcRefusedPage(step.because, oidc.label));
}

/** The password of the account to which the identity is linked. */
export async function postOidcLink(visit: Visit): Promise<Response> {
  const oidc = providerOf(visit);
  const fields = await readForm(visit);
  const challenge = fields.text("challenge");
  const proven = await oidc.confirmLink({ challenge, password: fields.text("password"), caller: callerOf(visit) });
  if (proven === "over") return redirect(visit, "/sign-in?done=over");
  const { step, email, next } = proven;
  if (step.status === "throttled" || step.status === "busy")
    return linkPage(visit, { provider: oidc.label, challenge, email, formError: throttledError(visit, step) });
  if (step.status === "refused" && step.because === "password") {
    logRefusal(visit, step.because, step.accountId);
    return linkPage(visit, {
      provider: oidc.label,
      challenge,
      email,
      formError: reauthenticationError(visit, { status: "wrong-password" }),
    });
  }
  if (step.status === "signed-in") visit.settings.log.info("account linked to an identity", { account: step.account.id });
  return answerToStep(visit, step, next);
}

async function answerToStep(visit: Visit, step: PasswordStep, next: string): Promise<Response> {
  switch (step.status) {
    case "signed-in":
      return redirect(await startSession(visit, step.account, step.opened), next);
    case "second-factor":
      return codePage(visit, { challenge: step.challenge, next });
    case "refused":
      logRefusal(visit, `oidc ${step.because}`, step.accountId);
      return errorPage(visit, oidcRefusedPage(step.because === "disabled" ? "disabled" : "over", providerOf(visit).label));
    default:
      return signInPage(visit, { next, formError: throttledError(visit, step) });
  }
}

/** @throws PageError 404 without a provider. */
function providerOf({ settings }: Visit): OidcSignIn {
  const { oidc } = settings.accounts;
  if (oidc === null) throw notFound();
  return oidc;
}

interface LinkPageProps {
  readonly provider: string;
  /** Represents the identity that is linked. */
  readonly challenge: string;
  readonly email: string;
  readonly formError?: FormError | null;
}

function linkPage(visit: Visit, { provider, challenge, email, formError = null }: LinkPageProps): Response {
  const { i18n } = visit;
  return plainPage(visit, {
    title: "signIn.oidc.link.title",
    formError,
    children: (
      <>
        <p>{i18n.t("signIn.oidc.link.what", { provider })}</p>
        <p>
          <UntrustedText>{email}</UntrustedText>
        </p>
        <p>{i18n.t("signIn.oidc.link.next", { provider })}</p>
        <UnencryptedNotice />
        <CredentialForm
          action="/sign-in/oidc/link"
          hidden={{ challenge }}
          fields={{ password: onlyPassword }}
          formError={formError}
          submit="signIn.oidc.link.submit"
        />
      </>
    ),
  });
}
