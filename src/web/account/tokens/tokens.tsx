/** `/account/tokens`: creates and revokes API tokens. */
import { isExpired } from "../../../account/authenticate.ts";
import { tokenExpiry, tokenLifetimes } from "../../../account/token-lifetimes.ts";
import type { Account } from "../../../store/accounts.ts";
import { type ApiToken, apiTokenNameCharsMax } from "../../../store/api-tokens.ts";
import { Field, SelectField } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { formMalformed } from "../../errors.ts";
import { type Fields, Form } from "../../form.tsx";
import type { GetFor, PostFor } from "../../guards.ts";
import { redirect } from "../../response.ts";
import type { Visit } from "../../visit.ts";
import { accountPage } from "../account-frame.tsx";
import { ApiExcludedNotice, newTokenPage } from "./new-token.tsx";
import { TokenTable } from "./token-table.tsx";

const path = "/account/tokens";
const lifetimeDefault = "90d";
/** Valid tokens per account; a longer list is no longer manageable. */
const tokensMax = 100;

/** Form values of a token, and the error. */
interface Typed {
  readonly name: string;
  readonly lifetime: string;
  readonly error: "noName" | "full";
}

export const getTokens: GetFor<"accounts"> = (visit, account) => tokensPage(visit, account);

export const postTokens: PostFor<"accounts"> = (visit, account, fields) => {
  const operation = fields.text("do");
  if (operation === "create") return create(visit, account, fields);
  if (operation === "revoke") return revoke(visit, account, fields);
  throw formMalformed();
};

async function create(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { settings, now } = visit;
  const name = fields.text("name").trim().slice(0, apiTokenNameCharsMax);
  const lifetime = tokenLifetimes.find((one) => one === fields.text("expires"));
  if (lifetime === undefined) throw formMalformed();
  if (name === "") return tokensPage(visit, account, { name, lifetime, error: "noName" });
  if (settings.store.apiTokens.listOfAccount(account.id).filter((token) => isInUse(token, now)).length >= tokensMax)
    return tokensPage(visit, account, { name, lifetime, error: "full" });
  const created = await settings.store.apiTokens.create({
    accountId: account.id,
    name,
    expiresAt: tokenExpiry(lifetime, now),
    now,
    by: "self",
  });
  settings.log.info("token created", { account: account.id, token: created.token.id, expires: created.token.expiresAt });
  return newTokenPage(visit, account, created);
}

async function revoke(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const { settings, now } = visit;
  const id = fields.text("token");
  if (!/^\d{1,15}$/.test(id)) throw formMalformed();
  const revoked = await settings.store.apiTokens.revoke(account.id, Number(id), now, "self");
  if (revoked !== undefined) settings.log.info("token revoked", { account: account.id, token: revoked.id });
  return redirect(visit, `${path}?done=revoked`);
}

function isInUse(token: ApiToken, now: Date): boolean {
  return token.revokedAt === null && !isExpired(token, now);
}

function tokensPage(visit: Visit, account: Account, typed: Typed | null = null): Response {
  const { i18n, url } = visit;
  return accountPage(visit, {
    title: "tokens.title",
    lead: (
      <>
        {i18n.t("tokens.intro")} <a href="/api">{i18n.t("tokens.docs")}</a>
      </>
    ),
    status: typed === null ? 200 : 400,
    done: typed === null && url.searchParams.get("done") === "revoked" ? i18n.t("tokens.done.revoked") : null,
    children: (
      <>
        <ApiExcludedNotice account={account} />
        <CreateForm typed={typed} />
        <TokenTable account={account} action={path} />
      </>
    ),
  });
}

function CreateForm({ typed }: { readonly typed: Typed | null }) {
  const { i18n } = useVisit();
  return (
    <section aria-labelledby="create">
      <h2 id="create">{i18n.t("tokens.create.title")}</h2>
      <Form action={path}>
        <input type="hidden" name="do" value="create" />
        <Field
          name="name"
          label={i18n.t("tokens.create.name")}
          autocomplete="off"
          value={typed?.name ?? ""}
          maxLength={apiTokenNameCharsMax}
          hint={i18n.t("tokens.create.nameHint")}
          error={typed === null ? undefined : i18n.t(`tokens.create.${typed.error}`)}
        />
        <SelectField
          name="expires"
          label={i18n.t("tokens.create.expires")}
          value={typed?.lifetime ?? lifetimeDefault}
          options={tokenLifetimes.map((lifetime) => ({ value: lifetime, text: i18n.t(`tokens.create.lifetimes.${lifetime}`) }))}
        />
        <SubmitButton>{i18n.t("tokens.create.submit")}</SubmitButton>
      </Form>
    </section>
  );
}
