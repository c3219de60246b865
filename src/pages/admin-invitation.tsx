/** Invitations: the form on `/admin/users`, and the page that shows a link once. */
import { type Account, plans } from "../store/accounts.ts";
import type { HandedOutLink } from "../store/one-time-links.ts";
import { adminPage } from "./admin-frame.tsx";
import { useVisit } from "./context.ts";
import { formBroken } from "./errors.ts";
import { type Fields, Form } from "./form.tsx";
import { linkPath } from "./link-paths.ts";
import type { Visit } from "./visit.ts";

/** RFC 5321 section 4.5.3.1.3. */
const emailCharsMax = 254;

/** An invitation as it was typed, and why there is no link for it. */
export interface InvitationTyped {
  readonly email: string;
  readonly error: "emailInvalid" | "emailTaken" | "full";
}

/** @throws PageError 400 for a form that no page of ours sends. */
export async function makeInvitation({ settings, now }: Visit, admin: Account, fields: Fields): Promise<HandedOutLink | InvitationTyped> {
  const { store, log, accounts } = settings;
  const email = fields
    .text("email")
    .slice(0, emailCharsMax + 1)
    .trim();
  const plan = plans.find((one) => one === fields.text("plan"));
  if (plan === undefined || accounts.signUp === "closed") throw formBroken();
  const made = await store.createLink({ kind: "invite", email: email === "" ? null : email, plan, admin: false }, now);
  if (made === "email-invalid") return { email, error: "emailInvalid" };
  if (made === "email-taken") return { email, error: "emailTaken" };
  if (typeof made === "string") return { email, error: "full" };
  log.info("invitation made", { plan, by: admin.id });
  return made;
}

export function InvitationForm({ typed }: { readonly typed: InvitationTyped | null }) {
  const { words, settings } = useVisit();
  const { signUp, defaultPlan } = settings.accounts;
  const describedBy = typed === null ? "invite-hint" : "invite-error invite-hint";
  return (
    <section aria-labelledby="invite-title" id="invite">
      <h2 id="invite-title">{words.say("admin.invitation.title")}</h2>
      {signUp === "closed" ? (
        <p>{words.say("admin.invitation.closed")}</p>
      ) : (
        <Form action="/admin/invitations">
          <label for="invite-email">{words.say("admin.invitation.email")}</label>
          <input
            id="invite-email"
            name="email"
            type="email"
            value={typed?.email ?? ""}
            maxLength={emailCharsMax}
            autocomplete="off"
            aria-describedby={describedBy}
            aria-invalid={typed === null ? undefined : "true"}
            autofocus={typed !== null}
          />
          {typed !== null && (
            <p class="error" id="invite-error">
              {words.say(`admin.invitation.errors.${typed.error}`)}
            </p>
          )}
          <p class="hint" id="invite-hint">
            {words.say("admin.invitation.emailHint")}
          </p>
          <label for="invite-plan">{words.say("admin.invitation.plan")}</label>
          <select id="invite-plan" name="plan">
            {plans.map((plan) => (
              <option key={plan} value={plan} selected={plan === defaultPlan}>
                {words.say(`plans.names.${plan}`)}
              </option>
            ))}
          </select>
          <button type="submit">{words.say("admin.invitation.create")}</button>
        </Form>
      )}
    </section>
  );
}

/** Shows the link this once. */
export function invitationPage(visit: Visit, { link, value }: HandedOutLink): Response {
  const { words, own, settings } = visit;
  const expires = words.moment(link.expiresAt);
  const address = `${settings.operator.publicUrl ?? own.origin}${linkPath("invite", value)}`;
  return adminPage(visit, {
    title: "admin.invitation.madeTitle",
    secret: true,
    children: (
      <>
        <p>
          {link.email === null
            ? words.say("admin.invitation.forAnyone", { expires })
            : words.say("admin.invitation.for", { email: link.email, expires })}
        </p>
        <p>{words.say("admin.invitation.made")}</p>
        <p>
          <label for="invitation">{words.say("admin.invitation.link")}</label>
          <input id="invitation" type="text" readOnly value={address} />
          <button type="button" data-copy="#invitation" data-copied={words.say("admin.invitation.copied")} hidden>
            {words.say("admin.invitation.copy")}
          </button>
        </p>
        <p>
          <a href="/admin/users">{words.say("admin.invitation.back")}</a>
        </p>
      </>
    ),
  });
}
