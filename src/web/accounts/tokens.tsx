/** `/account/tokens`: creates and revokes API tokens. */
import { planTerms } from "../../accounts/account-operations.ts";
import { createToken, isExpired, revokeToken, tokenLifetimes } from "../../accounts/token-operations.ts";
import { dayMs } from "../../base/units.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { ConfigLines } from "../../report/components/remediation.tsx";
import { UntrustedText, untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { Account } from "../../store/accounts.ts";
import { type ApiToken, apiTokenNameCharsMax, deadTokenDays } from "../../store/api-tokens.ts";
import { accountActor } from "../../store/audit.ts";
import { SecretOnce } from "../components/copy-field.tsx";
import { ActionForm, choiceOf, type FormDescription, FormFields, type FormValues, RowAction, readFields } from "../components/forms.tsx";
import { LastUse } from "../components/last-use.tsx";
import { outcomesOf, redirectWith } from "../components/outcome.tsx";
import { EmptyState, PageSection, PlanLimit, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { idIn } from "../form.tsx";
import { byOperation, type GetFor } from "../guards.ts";
import { accountPage } from "../private-page.tsx";
import { publicOrigin, type Visit } from "../visit.ts";

const path = "/account/tokens";
const outcomes = outcomesOf(path, ["revoked"], (outcome) => `tokens.done.${outcome}`);

const tokenForm = {
  name: { label: "tokens.create.name", hint: "tokens.create.nameHint", autocomplete: "off", maxLength: apiTokenNameCharsMax },
  expires: choiceOf(tokenLifetimes, (lifetime) => `tokens.create.lifetimes.${lifetime}`, {
    label: "tokens.create.expires",
    initial: "90d",
  }),
} satisfies FormDescription;

interface RefusedToken extends FormValues<typeof tokenForm> {
  readonly error: "noName" | "full";
}

export const getTokens: GetFor<"accounts"> = (visit, account) => tokensPage(visit, account);

export const postTokens = byOperation<Account>({
  create: async (visit, account, fields) => {
    const { name: typedName, expires } = readFields(tokenForm, fields);
    const name = typedName.trim().slice(0, apiTokenNameCharsMax);
    const created = await createToken(visit.settings, accountActor(account), { accountId: account.id, name, lifetime: expires });
    if ("done" in created) return newTokenPage(visit, account, created.done);
    return tokensPage(visit, account, { name, expires, error: created.refused === "full" ? "full" : "noName" });
  },
  revoke: async (visit, account, fields) => {
    await revokeToken(visit.settings, accountActor(account), { accountId: account.id, id: idIn(fields, "token") });
    return redirectWith(visit, outcomes, "revoked");
  },
});

function tokensPage(visit: Visit, account: Account, refused: RefusedToken | null = null): Response {
  const { i18n } = visit;
  const errors = refused && new Map([["name", i18n.t(`tokens.create.${refused.error}`)]]);
  return accountPage(visit, {
    title: "tokens.title",
    outcomes,
    lead: (
      <>
        {i18n.t("tokens.intro")} <a href="/api">{i18n.t("tokens.docs")}</a>
      </>
    ),
    status: refused === null ? 200 : 400,
    children: (
      <>
        <ApiExcludedNotice account={account} />
        <PageSection id="create" title="tokens.create.title">
          <ActionForm action={path} hidden={{ do: "create" }} submit="tokens.create.submit">
            <FormFields form={tokenForm} values={refused} errors={errors} />
          </ActionForm>
        </PageSection>
        <TokenTable account={account} />
      </>
    ),
  });
}

function TokenTable({ account }: { readonly account: Account }) {
  const { i18n, settings, now } = useVisit();
  const tokens = settings.store.apiTokens
    .listOfAccount(account.id)
    .filter((token) => now.getTime() < endOf(token, now) + deadTokenDays * dayMs)
    .toReversed();
  if (tokens.length === 0) return <EmptyState title={i18n.t("tokens.list.none")} />;
  return (
    <PageSection id="tokens" title="tokens.list.caption">
      <TextTable
        caption="tokens.list.caption"
        rows={tokens}
        columns={{
          "tokens.list.name": ({ name }) => <UntrustedText>{name}</UntrustedText>,
          "tokens.list.value": ({ shown }) => <code {...untranslated}>{`${shown}...`}</code>,
          "tokens.list.created": ({ createdAt }) => <Instant at={createdAt} day relative={false} />,
          "tokens.list.lastUsed": ({ createdAt, lastUsedAt }) =>
            lastUsedAt === null ? i18n.t("tokens.list.never") : <LastUse createdAt={createdAt} hour={lastUsedAt} />,
          "tokens.list.expires": ({ expiresAt }) =>
            expiresAt === null ? i18n.t("tokens.list.never") : <Instant at={expiresAt} day relative={false} />,
          "tokens.list.status": (token) => <TokenState token={token} />,
        }}
      />
      <p class="hint">
        {i18n.t("tokens.list.means")} {i18n.t("tokens.list.lastUsedHint", { days: deadTokenDays })}
      </p>
    </PageSection>
  );
}

function TokenState({ token }: { readonly token: ApiToken }) {
  const { i18n, now } = useVisit();
  const { id, name, revokedAt, expiresAt } = token;
  if (revokedAt !== null) return i18n.t("tokens.list.revoked", { day: i18n.date(revokedAt) });
  if (expiresAt !== null && isExpired(token, now)) return i18n.t("tokens.list.expired", { day: i18n.date(expiresAt) });
  return (
    <>
      {i18n.t("tokens.list.valid")}{" "}
      <RowAction action={path} hidden={{ do: "revoke", token: id }} kind="danger" submit="tokens.list.revoke" of={{ name }} />
    </>
  );
}

/** Time at which the token became invalid; now while it is valid. */
function endOf({ revokedAt, expiresAt }: ApiToken, now: Date): number {
  return Math.min(now.getTime(), ...[revokedAt, expiresAt].flatMap((instant) => (instant === null ? [] : Date.parse(instant))));
}

function newTokenPage(visit: Visit, account: Account, { token, value }: { readonly token: ApiToken; readonly value: string }): Response {
  const { i18n } = visit;
  const curl = `curl -H 'Authorization: Bearer ${value}'`;
  const url = `${publicOrigin(visit)}/api/v1/scans`;
  return accountPage(visit, {
    title: "tokens.made.title",
    children: (
      <SecretOnce
        notice={<Notice kind="warn">{i18n.t("tokens.made.text")}</Notice>}
        id="token"
        label={<UntrustedText>{token.name}</UntrustedText>}
        value={value}
        copy="tokens.made.copy"
        copied="tokens.made.copied"
        back={[path, "tokens.made.back"]}
      >
        <h2>{i18n.t("tokens.made.tryTitle")}</h2>
        <ApiExcludedNotice account={account} />
        <p>{i18n.t("tokens.made.list")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>{`${curl} '${url}'`}</ConfigLines>
        <p>{i18n.t("tokens.made.start")}</p>
        <ConfigLines label={i18n.t("tokens.made.curl")}>
          {`${curl} -H 'Content-Type: application/json' -d '{"url":"https://example.com"}' '${url}'`}
        </ConfigLines>
        <p>
          {i18n.t("tokens.made.read")} <a href="/api">{i18n.t("tokens.docs")}</a>
        </p>
      </SecretOnce>
    ),
  });
}

/** Null if the plan includes the API. */
function ApiExcludedNotice({ account: { plan } }: { readonly account: Account }) {
  const i18n = useI18n();
  if (planTerms[plan].api) return null;
  return (
    <Notice kind="warn">
      <PlanLimit text={i18n.t("tokens.noApi", { plan: i18n.t(`plans.names.${plan}`), needed: i18n.t("plans.names.agency") })} />
    </Notice>
  );
}
