/** `/admin/users`: the accounts with plan and state, and the forms that change them. */
import { type Account, plans } from "../store/accounts.ts";
import { adminOf, adminPage } from "./admin-frame.tsx";
import { InvitationForm, type InvitationTyped, invitationPage, makeInvitation } from "./admin-invitation.tsx";
import { redirect } from "./answer.tsx";
import { Foreign } from "./components/foreign.tsx";
import { useVisit } from "./context.ts";
import { formBroken, notFound } from "./errors.ts";
import { Form, readForm } from "./form.tsx";
import { pageGroup, type Visit } from "./visit.ts";

const accountsPerPage = 50;
/** RFC 5321 section 4.5.3.1.3: no address is longer. */
const searchCharsMax = 254;

/** What was just done, as the page is told by its query. */
const deeds = ["plan", "disabled", "enabled", "self"] as const;
type Deed = (typeof deeds)[number];

export function adminUsersRoutes() {
  return pageGroup("admin users")
    .get("/admin/users", ({ visit }) => usersPage(visit))
    .post("/admin/users/:id/plan", ({ visit, params }) => changePlan(visit, params.id))
    .post("/admin/users/:id/state", ({ visit, params }) => changeState(visit, params.id))
    .post("/admin/invitations", ({ visit }) => invite(visit));
}

async function changePlan(visit: Visit, id: string | null): Promise<Response> {
  const admin = adminOf(visit);
  const asked = (await readForm(visit)).text("plan");
  const plan = plans.find((one) => one === asked);
  if (plan === undefined) throw formBroken();
  const { store, log } = visit.settings;
  const { id: accountId } = accountNamed(visit, id);
  await store.setPlan(accountId, plan);
  log.info("plan changed", { account: accountId, plan, by: admin.id });
  return done(visit, "plan");
}

async function changeState(visit: Visit, id: string | null): Promise<Response> {
  const admin = adminOf(visit);
  const asked = (await readForm(visit)).text("state");
  if (asked !== "disabled" && asked !== "enabled") throw formBroken();
  const { store, log } = visit.settings;
  const { id: accountId } = accountNamed(visit, id);
  // Nobody locks themselves out: so there is always an administrator left.
  if (accountId === admin.id) return done(visit, "self");
  await store.setDisabled(accountId, asked === "disabled");
  log.info("account changed", { account: accountId, state: asked, by: admin.id });
  return done(visit, asked);
}

async function invite(visit: Visit): Promise<Response> {
  const admin = adminOf(visit);
  const made = await makeInvitation(visit, admin, await readForm(visit));
  return "link" in made ? invitationPage(visit, made) : usersPage(visit, made);
}

function done(visit: Visit, deed: Deed): Response {
  return redirect(visit, `/admin/users?done=${deed}`);
}

/** @throws PageError 404 */
function accountNamed({ settings }: Visit, id: string | null): Account {
  const account = id !== null && /^\d{1,9}$/.test(id) ? settings.store.accountById(Number(id)) : undefined;
  if (account === undefined) throw notFound();
  return account;
}

/** `typed` is an invitation that could not be made. */
function usersPage(visit: Visit, typed: InvitationTyped | null = null): Response {
  adminOf(visit);
  const { words, url, settings } = visit;
  const search = (url.searchParams.get("q") ?? "").slice(0, searchCharsMax).trim();
  const after = Number(url.searchParams.get("after") ?? 0);
  const all = settings.store.accounts();
  const found = all.filter(({ id, email }) => id > after && email.toLowerCase().includes(search.toLowerCase()));
  const shown = found.slice(0, accountsPerPage);
  const last = shown.at(-1);
  const deed = deeds.find((one) => one === url.searchParams.get("done"));
  return adminPage(visit, {
    title: "admin.users.title",
    status: typed === null ? 200 : 400,
    children: (
      <>
        {deed !== undefined && (
          <p class="notice" role="status">
            {words.say(`admin.users.done.${deed}`)}
          </p>
        )}
        <p>{words.count("admin.users.count", all.length)}</p>
        <search>
          <form method="get" action="/admin/users">
            <label for="q">{words.say("admin.users.search")}</label>
            <input id="q" name="q" type="search" value={search} maxLength={searchCharsMax} />
            <button type="submit">{words.say("admin.users.find")}</button>
          </form>
        </search>
        {shown.length === 0 ? <p>{words.say("admin.users.none")}</p> : <AccountTable accounts={shown} />}
        {last !== undefined && found.length > shown.length && (
          <p>
            <a href={`/admin/users?${new URLSearchParams({ ...(search === "" ? {} : { q: search }), after: String(last.id) })}`}>
              {words.say("admin.users.next")}
            </a>
          </p>
        )}
        <p class="muted">{words.say("admin.users.disableMeans")}</p>
        <InvitationForm typed={typed} />
      </>
    ),
  });
}

function AccountTable({ accounts }: { readonly accounts: readonly Account[] }) {
  const { words } = useVisit();
  return (
    <table class="cards">
      <caption>{words.say("admin.users.caption")}</caption>
      <thead>
        <tr>
          <th scope="col">{words.say("admin.users.email")}</th>
          <th scope="col">{words.say("admin.users.role")}</th>
          <th scope="col">{words.say("admin.users.created")}</th>
          <th scope="col">{words.say("admin.users.plan")}</th>
          <th scope="col">{words.say("admin.users.state")}</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </tbody>
    </table>
  );
}

function AccountRow({ account }: { readonly account: Account }) {
  const { words, account: visitor } = useVisit();
  const { id, email, admin, createdAt, disabled } = account;
  const isVisitor = id === visitor?.id;
  return (
    <tr id={`account-${id}`}>
      <th scope="row">
        <Foreign>{email}</Foreign> {isVisitor && <span class="muted">({words.say("admin.users.you")})</span>}
      </th>
      <td data-label={words.say("admin.users.role")}>{words.say(admin ? "admin.users.roles.admin" : "admin.users.roles.user")}</td>
      <td data-label={words.say("admin.users.created")}>
        <time dateTime={createdAt}>{words.day(createdAt)}</time>
      </td>
      <td data-label={words.say("admin.users.plan")}>
        <PlanForm account={account} />
      </td>
      <td data-label={words.say("admin.users.state")}>
        {words.say(disabled ? "admin.users.states.disabled" : "admin.users.states.enabled")} {!isVisitor && <StateForm account={account} />}
      </td>
    </tr>
  );
}

function PlanForm({ account: { id, email, plan } }: { readonly account: Account }) {
  const { words } = useVisit();
  return (
    <Form action={`/admin/users/${id}/plan`} class="inline">
      <select name="plan" aria-label={words.say("admin.users.planOf", { email })}>
        {plans.map((one) => (
          <option key={one} value={one} selected={one === plan}>
            {words.say(`plans.names.${one}`)}
          </option>
        ))}
      </select>{" "}
      <button type="submit" aria-label={words.say("admin.users.setPlanOf", { email })}>
        {words.say("admin.users.setPlan")}
      </button>
    </Form>
  );
}

function StateForm({ account: { id, email, disabled } }: { readonly account: Account }) {
  const { words } = useVisit();
  return (
    <Form action={`/admin/users/${id}/state`} class="inline">
      <input type="hidden" name="state" value={disabled ? "enabled" : "disabled"} />
      <button type="submit" aria-label={words.say(disabled ? "admin.users.enableOf" : "admin.users.disableOf", { email })}>
        {words.say(disabled ? "admin.users.enable" : "admin.users.disable")}
      </button>
    </Form>
  );
}
