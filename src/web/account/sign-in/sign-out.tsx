/** `/sign-out`: a button, since signing out by a mere link could be done to anybody by any page. */
import { page, redirect } from "../../answer.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { Form, readForm } from "../../form.tsx";
import type { Visit } from "../../visit.ts";
import { signedOut } from "./session-cookie.ts";

export async function postSignOut(visit: Visit): Promise<Response> {
  await readForm(visit);
  await signedOut(visit);
  return redirect(visit, "/sign-in?done=signed-out");
}

export function getSignOut(visit: Visit): Response {
  const { words, account } = visit;
  return page(visit, {
    title: words.say("signOut.title"),
    noIndex: true,
    secret: true,
    children: (
      <>
        <h1>{words.say("signOut.title")}</h1>
        {account === null ? (
          <p>{words.say("signOut.nobody")}</p>
        ) : (
          <>
            <p>{words.say("signOut.text", { email: account.email })}</p>
            <Form action="/sign-out">
              <SubmitButton>{words.say("signOut.submit")}</SubmitButton>
            </Form>
          </>
        )}
      </>
    ),
  });
}
