/** `/sign-in`: the password, then the second factor where there is one; on an empty appliance, how the first account is made. */
import type { CodeStep, PasswordStep } from "../../account/sign-in.ts";
import { truncatedAddress } from "../../parse/address.ts";
import { page, redirect } from "../answer.tsx";
import { Details } from "../components/details.tsx";
import { Notice } from "../components/notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit, useWords } from "../context.ts";
import { Form, readForm } from "../form.tsx";
import { pageGroup, type Visit } from "../visit.ts";
import { Alert, CodeField, CommandLine, CurrentPassword, EmailField, emailCharsMax, heldUpAnswer, UnencryptedNotice } from "./fields.tsx";
import { nextPath } from "./next-path.ts";
import { callerOf, signedIn } from "./signing-in.ts";

/** Where nobody asked for another page. */
const home = "/account";

/** What was just done, as the page is told by its query. */
const deeds = ["reset", "signed-out", "over"] as const;

export function signInRoutes() {
  return (
    pageGroup("sign-in")
      .get("/sign-in", ({ visit }) => {
        const next = nextPath(visit.url.searchParams.get("next"), home);
        return visit.account === null ? signInPage(visit, { next }) : redirect(visit, next);
      })
      .post("/sign-in", ({ visit }) => takePassword(visit))
      // Whoever reloads the second step by its address begins again.
      .get("/sign-in/code", ({ visit }) => redirect(visit, "/sign-in"))
      .post("/sign-in/code", ({ visit }) => takeCode(visit))
  );
}

async function takePassword(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const email = fields.text("email").slice(0, emailCharsMax + 1);
  const next = nextPath(fields.text("next"), home);
  const step = await visit.settings.accountActions.signIn({ email, password: fields.text("password"), caller: callerOf(visit) });
  switch (step.status) {
    case "signed-in":
      return goOn(visit, step, next);
    case "second-factor":
      return codePage(visit, { challenge: step.challenge, next });
    case "refused":
      noteRefusal(visit, step.because, step.accountId);
      return signInPage(visit, { next, email, error: visit.words.say("signIn.refused"), status: 403 });
    default: {
      const { text, ...answer } = heldUpAnswer(visit, step);
      return signInPage(visit, { next, email, error: text, ...answer });
    }
  }
}

async function takeCode(visit: Visit): Promise<Response> {
  const fields = await readForm(visit);
  const challenge = fields.text("challenge");
  const next = nextPath(fields.text("next"), home);
  const step = await visit.settings.accountActions.proveSecondFactor({ challenge, code: fields.text("code"), caller: callerOf(visit) });
  switch (step.status) {
    case "signed-in":
      return goOn(visit, step, next);
    case "wrong-code":
      noteRefusal(visit, "code", step.accountId);
      return codePage(visit, { challenge, next, error: visit.words.say("credentials.errors.wrongCode"), status: 403 });
    case "over":
      return redirect(visit, `/sign-in?${new URLSearchParams({ done: "over", next })}`);
    default: {
      const { text, ...answer } = heldUpAnswer(visit, step);
      return codePage(visit, { challenge, next, error: text, ...answer });
    }
  }
}

/** Never what was typed: a password is easily typed into the wrong field. */
function noteRefusal({ settings, address, requestId }: Visit, because: string, account: number | null): void {
  settings.log.warn("sign-in refused", { because, account, address: truncatedAddress(address), requestId });
}

async function goOn(visit: Visit, { account, opened }: Extract<PasswordStep | CodeStep, { status: "signed-in" }>, next: string) {
  return redirect(await signedIn(visit, account, opened), next);
}

interface SignInGiven {
  readonly next: string;
  readonly email?: string;
  readonly error?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function signInPage(visit: Visit, { next, email = "", error, ...answer }: SignInGiven): Response {
  const { words, url, settings } = visit;
  const deed = deeds.find((one) => one === url.searchParams.get("done"));
  return page(visit, {
    ...answer,
    title: words.say("signIn.title"),
    noIndex: true,
    children: settings.store.hasAccounts() ? (
      <div class="narrow">
        <h1>{words.say("signIn.title")}</h1>
        {deed !== undefined && error === undefined && (
          <Notice kind="good" alert>
            {words.say(`signIn.done.${deed}`)}
          </Notice>
        )}
        <UnencryptedNotice />
        <Alert>{error ?? null}</Alert>
        <Form action="/sign-in">
          <input type="hidden" name="next" value={next} />
          <EmailField value={email} autofocus />
          <CurrentPassword name="password" label={words.say("credentials.password")} />
          <SubmitButton>{words.say("signIn.submit")}</SubmitButton>
        </Form>
        <SignInHelp />
      </div>
    ) : (
      <NoAccountYet />
    ),
  });
}

function SignInHelp() {
  const { words, settings } = useVisit();
  return (
    <>
      <Details summary={words.say("signIn.forgotten")}>
        <p>{words.say("signIn.forgottenText")}</p>
        <CommandLine>assay user reset-password you@example.com</CommandLine>
      </Details>
      {settings.accounts.signUp !== "closed" && (
        <p>
          {words.say("signIn.signUp")} <a href="/sign-up">{words.say("signIn.signUpLink")}</a>
        </p>
      )}
    </>
  );
}

/** The three doors to the first account. */
function NoAccountYet() {
  const words = useWords();
  return (
    <>
      <h1>{words.say("signIn.empty.title")}</h1>
      <p>{words.say("signIn.empty.intro")}</p>
      <ol>
        <li>
          {words.say("signIn.empty.link")}
          <CommandLine>assay user setup-link</CommandLine>
        </li>
        <li>
          {words.say("signIn.empty.create")}
          <CommandLine>assay user create you@example.com --admin --password-stdin</CommandLine>
        </li>
        <li>{words.say("signIn.empty.settings")}</li>
      </ol>
    </>
  );
}

interface CodeGiven extends Omit<SignInGiven, "email"> {
  readonly challenge: string;
}

function codePage(visit: Visit, { challenge, next, error, ...answer }: CodeGiven): Response {
  const { words } = visit;
  return page(visit, {
    ...answer,
    title: words.say("secondFactor.step.title"),
    noIndex: true,
    secret: true,
    children: (
      <div class="narrow">
        <h1>{words.say("secondFactor.step.title")}</h1>
        <p>{words.say("secondFactor.step.intro")}</p>
        <Form action="/sign-in/code">
          <input type="hidden" name="challenge" value={challenge} />
          <input type="hidden" name="next" value={next} />
          <CodeField error={error} />
          <SubmitButton>{words.say("secondFactor.step.submit")}</SubmitButton>
        </Form>
        <Details summary={words.say("secondFactor.step.lost")}>
          <p>{words.say("secondFactor.step.lostText")}</p>
          <CommandLine>assay user disable-2fa you@example.com</CommandLine>
        </Details>
      </div>
    ),
  });
}
