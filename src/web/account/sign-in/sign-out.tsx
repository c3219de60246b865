/** `/sign-out`: a form rather than a link, since any site could trigger a GET. */
import { SubmitButton } from "../../components/submit-button.tsx";
import { Form, readForm } from "../../form.tsx";
import { page } from "../../page.tsx";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { endCurrentSession } from "./session-cookie.ts";

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
