/** `/account/tokens`: creates and revokes API tokens. */
import { planTerms } from "../../account/account-operations.ts";
import { createToken, isExpired, revokeToken, tokenLifetimes } from "../../account/token-operations.ts";
import { dayMs } from "../../base/units.ts";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { plainUntrustedText, UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { type ApiToken, apiTokenNameCharsMax, deadTokenDays } from "../../store/api-tokens.ts";
import { accountActor } from "../../store/audit.ts";
import type { I18n } from "../../text/translator.ts";
import { CopyField } from "../components/copy-field.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { LastUse } from "../components/last-use.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import { publicOrigin, type Visit } from "../visit.ts";
import { accountPage } from "./account-page.tsx";

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

function TokenTable({ account, action }: { readonly account: Account; readonly action: string }) {
  const { i18n, settings, now } = useVisit();
  const tokens = settings.store.apiTokens
    .listOfAccount(account.id)
    .filter((token) => now.getTime() < endOf(token, now) + deadTokenDays * dayMs)
    .toReversed();
  if (tokens.length === 0) return <EmptyState title={i18n.t("tokens.list.none")} />;
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">{i18n.t("tokens.list.caption")}</h2>
      <DataTable
        caption={i18n.t("tokens.list.caption")}
        captionUnseen
        rows={tokens}
        columns={[
          { label: i18n.t("tokens.list.name"), cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
          { label: i18n.t("tokens.list.value"), cell: ({ shown }) => <code {...untranslated}>{`${shown}...`}</code> },
          { label: i18n.t("tokens.list.created"), cell: ({ createdAt }) => <Instant at={createdAt} day relative={false} /> },
          {
            label: i18n.t("tokens.list.lastUsed"),
            cell: ({ createdAt, lastUsedAt }) =>
              lastUsedAt === null ? i18n.t("tokens.list.never") : <LastUse createdAt={createdAt} hour={lastUsedAt} />,
          },
          {
            label: i18n.t("tokens.list.expires"),
            cell: ({ expiresAt }) => (expiresAt === null ? i18n.t("tokens.list.never") : <Instant at={expiresAt} day relative={false} />),
          },
          {
            label: i18n.t("tokens.list.status"),
            cell: (token) =>
              endedText(token, i18n, now) ?? (
                <>
                  {i18n.t("tokens.list.valid")} <Revoke token={token} action={action} />
                </>
              ),
          },
        ]}
      />
      <p class="hint">
        {i18n.t("tokens.list.means")} {i18n.t("tokens.list.lastUsedHint", { days: deadTokenDays })}
      </p>
    </section>
  );
}

function Revoke({ token: { id, name }, action }: { readonly token: ApiToken; readonly action: string }) {
  const i18n = useI18n();
  return (
    <Form action={action}>
      <input type="hidden" name="do" value="revoke" />
      <input type="hidden" name="token" value={String(id)} />
      <SubmitButton kind="danger" compact label={i18n.t("tokens.list.revokeOf", { name: plainUntrustedText(name) })}>
        {i18n.t("tokens.list.revoke")}
      </SubmitButton>
    </Form>
  );
}

/** Null while the token is valid. */
function endedText(token: ApiToken, i18n: I18n, now: Date): string | null {
  if (token.revokedAt !== null) return i18n.t("tokens.list.revoked", { day: i18n.date(token.revokedAt) });
  return isExpired(token, now) && token.expiresAt !== null ? i18n.t("tokens.list.expired", { day: i18n.date(token.expiresAt) }) : null;
}

/** Time at which the token became invalid; now while it is valid. */
function endOf({ revokedAt, expiresAt }: ApiToken, now: Date): number {
  return Math.min(now.getTime(), ...[revokedAt, expiresAt].flatMap((instant) => (instant === null ? [] : Date.parse(instant))));
}

/** A direct response to the form: it has no URL to link or reload. */
function newTokenPage(visit: Visit, account: Account, { token, value }: { readonly token: ApiToken; readonly value: string }): Response {
  const { i18n } = visit;
  const base = publicOrigin(visit);
  return accountPage(visit, {
    title: "tokens.made.title",
    children: (
      <>
        <Notice kind="warn">{i18n.t("tokens.made.text")}</Notice>
        <CopyField
          id="token"
          label={<UntrustedText>{token.name}</UntrustedText>}
          value={value}
          copy={i18n.t("tokens.made.copy")}
          copied={i18n.t("tokens.made.copied")}
        />
        <h2>{i18n.t("tokens.made.tryTitle")}</h2>
        <ApiExcludedNotice account={account} />
        <p>{i18n.t("tokens.made.list")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>{`curl -H 'Authorization: Bearer ${value}' '${base}/api/v1/scans'`}</ConfigLines>
        <p>{i18n.t("tokens.made.start")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>
          {`curl -H 'Authorization: Bearer ${value}' -H 'Content-Type: application/json' -d '{"url":"https://example.com"}' '${base}/api/v1/scans'`}
        </ConfigLines>
        <p>
          {i18n.t("tokens.made.read")} <a href="/api">{i18n.t("tokens.docs")}</a>
        </p>
        <p>
          <a href="/account/tokens">{i18n.t("tokens.made.back")}</a>
        </p>
      </>
    ),
  });
}

/** Null if the plan includes the API. */
function ApiExcludedNotice({ account: { plan } }: { readonly account: Account }) {
  const i18n = useI18n();
  if (planTerms[plan].api) return null;
  return (
    <Notice kind="warn">
      {i18n.t("tokens.noApi", { plan: i18n.t(`plans.names.${plan}`), needed: i18n.t("plans.names.agency") })}{" "}
      <a href="/plans">{i18n.t("tokens.plans")}</a>
    </Notice>
  );
}
