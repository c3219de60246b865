/** `/account/tokens`: creates and revokes API tokens. */
import { createToken, revokeToken, tokenLifetimes } from "../../../account/token-operations.ts";
import type { Account } from "../../../store/accounts.ts";
import { apiTokenNameCharsMax } from "../../../store/api-tokens.ts";
import { accountActor } from "../../../store/audit.ts";
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
  const name = fields.text("name").trim().slice(0, apiTokenNameCharsMax);
  const lifetime = tokenLifetimes.find((one) => one === fields.text("expires"));
  if (lifetime === undefined) throw formMalformed();
  const created = await createToken(visit.settings, accountActor(account), { accountId: account.id, name, lifetime });
  if ("done" in created) return newTokenPage(visit, account, created.done);
  return tokensPage(visit, account, { name, lifetime, error: created.refused === "full" ? "full" : "noName" });
}

async function revoke(visit: Visit, account: Account, fields: Fields): Promise<Response> {
  const id = fields.text("token");
  if (!/^\d{1,15}$/.test(id)) throw formMalformed();
  await revokeToken(visit.settings, accountActor(account), { accountId: account.id, id: Number(id) });
  return redirect(visit, `${path}?done=revoked`);
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
