/** The list of somebody's API tokens. */
import { isExpired } from "../../../account/authenticate.ts";
import type { Account } from "../../../store/accounts.ts";
import { type ApiToken, deadTokenDays } from "../../../store/api-tokens.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Foreign, plainForeign, untranslated } from "../../components/foreign.tsx";
import { Instant } from "../../components/instant.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useVisit, useWords } from "../../context.ts";
import { Form } from "../../form.tsx";
import type { Words } from "../../words.ts";
import { LastUse } from "../profile/last-use.tsx";

const dayMs = 86_400_000;

interface TokenTableProps {
  readonly account: Account;
  /** Where its forms are sent. */
  readonly action: string;
}

export function TokenTable({ account, action }: TokenTableProps) {
  const { words, settings, now } = useVisit();
  const tokens = settings.store.apiTokens
    .listOfAccount(account.id)
    .filter((token) => now.getTime() < endOf(token, now) + deadTokenDays * dayMs)
    .toReversed();
  if (tokens.length === 0) return <EmptyState title={words.say("tokens.list.none")} />;
  const columns = ["name", "value", "created", "lastUsed", "expires", "status"] as const;
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">{words.say("tokens.list.caption")}</h2>
      <Table
        caption={words.say("tokens.list.caption")}
        captionUnseen
        columns={columns.map((column) => ({ label: words.say(`tokens.list.${column}`) }))}
      >
        <RowGroup>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} action={action} />
          ))}
        </RowGroup>
      </Table>
      <p class="hint">
        {words.say("tokens.list.means")} {words.say("tokens.list.lastUsedHint", { days: deadTokenDays })}
      </p>
    </section>
  );
}

function TokenRow({ token, action }: { readonly token: ApiToken; readonly action: string }) {
  const { words, now } = useVisit();
  const { name, shown, createdAt, lastUsedAt, expiresAt } = token;
  return (
    <Row
      cells={[
        <Foreign key="name">{name}</Foreign>,
        <code key="value" {...untranslated}>{`${shown}...`}</code>,
        <Instant key="created" at={createdAt} day relative={false} />,
        lastUsedAt === null ? words.say("tokens.list.never") : <LastUse key="lastUsed" createdAt={createdAt} hour={lastUsedAt} />,
        expiresAt === null ? words.say("tokens.list.never") : <Instant key="expires" at={expiresAt} day relative={false} />,
        endedText(token, words, now) ?? (
          <>
            {words.say("tokens.list.valid")} <Revoke token={token} action={action} />
          </>
        ),
      ]}
    />
  );
}

function Revoke({ token: { id, name }, action }: { readonly token: ApiToken; readonly action: string }) {
  const words = useWords();
  return (
    <Form action={action}>
      <input type="hidden" name="do" value="revoke" />
      <input type="hidden" name="token" value={String(id)} />
      <SubmitButton kind="danger" compact label={words.say("tokens.list.revokeOf", { name: plainForeign(name) })}>
        {words.say("tokens.list.revoke")}
      </SubmitButton>
    </Form>
  );
}

/** Null while it is good. */
function endedText(token: ApiToken, words: Words, now: Date): string | null {
  if (token.revokedAt !== null) return words.say("tokens.list.revoked", { day: words.day(token.revokedAt) });
  return isExpired(token, now) && token.expiresAt !== null ? words.say("tokens.list.expired", { day: words.day(token.expiresAt) }) : null;
}

/** When it stopped being good; now, while it is. */
function endOf({ revokedAt, expiresAt }: ApiToken, now: Date): number {
  return Math.min(now.getTime(), ...[revokedAt, expiresAt].flatMap((instant) => (instant === null ? [] : Date.parse(instant))));
}
