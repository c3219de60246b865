/** Table of the account's API tokens. */
import { isExpired } from "../../../account/token-operations.ts";
import { dayMs } from "../../../base/units.ts";
import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { plainUntrustedText, UntrustedText, untranslated } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import type { Account } from "../../../store/accounts.ts";
import { type ApiToken, deadTokenDays } from "../../../store/api-tokens.ts";
import type { I18n } from "../../../text/translator.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { LastUse } from "../../components/last-use.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";

export function TokenTable({ account, action }: { readonly account: Account; readonly action: string }) {
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
