/** Where somebody is signed in, and the buttons that end it. */
import type { Account } from "../../../store/accounts.ts";
import { type Session, sessionDays, sessionIdleDays } from "../../../store/sessions.ts";
import { Foreign } from "../../components/foreign.tsx";
import { Instant } from "../../components/instant.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { Row, RowGroup, Table } from "../../components/table.tsx";
import { useVisit, useWords } from "../../context.ts";
import { Form } from "../../form.tsx";
import type { Words } from "../../words.ts";
import { browserName } from "./browser-name.ts";
import { LastUse } from "./last-use.tsx";

export function SessionsSection({ account, current }: { readonly account: Account; readonly current: number }) {
  const { words, settings, now } = useVisit();
  const sessions = settings.store.sessions.listOfAccount(account.id, now).toReversed();
  const columns = ["browser", "address", "created", "lastSeen", "end"] as const;
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{words.say("account.sessions.title")}</h2>
      <Table
        caption={words.say("account.sessions.caption")}
        captionUnseen
        columns={columns.map((column) => ({ label: words.say(`account.sessions.${column}`) }))}
      >
        <RowGroup>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} isCurrent={session.id === current} />
          ))}
        </RowGroup>
      </Table>
      <p class="hint">{words.say("account.sessions.addressHint", { idleDays: sessionIdleDays, days: sessionDays })}</p>
      {sessions.length > 1 && (
        <Form action="/account">
          <input type="hidden" name="do" value="end-others" />
          <SubmitButton kind="danger">{words.say("account.sessions.endOthers")}</SubmitButton>
        </Form>
      )}
    </section>
  );
}

function SessionRow({ session, isCurrent }: { readonly session: Session; readonly isCurrent: boolean }) {
  const words = useWords();
  const { userAgent, address, createdAt, lastSeenAt } = session;
  return (
    <Row
      cells={[
        browserOf(userAgent, words),
        <Foreign key="address">{address}</Foreign>,
        <Instant key="created" at={createdAt} relative={false} />,
        <LastUse key="lastSeen" createdAt={createdAt} hour={lastSeenAt} />,
        isCurrent ? words.say("account.sessions.current") : <EndSession key="end" session={session} />,
      ]}
    />
  );
}

/** A client that is no usual browser goes by what it calls itself. */
function browserOf(userAgent: string, words: Words) {
  if (userAgent === "") return words.say("account.sessions.unknown");
  return browserName(userAgent) ?? <Foreign>{userAgent}</Foreign>;
}

function EndSession({ session: { id, createdAt } }: { readonly session: Session }) {
  const words = useWords();
  return (
    <Form action="/account">
      <input type="hidden" name="do" value="end-session" />
      <input type="hidden" name="session" value={String(id)} />
      <SubmitButton kind="plain" compact label={words.say("account.sessions.endOf", { moment: words.moment(createdAt) })}>
        {words.say("account.sessions.end")}
      </SubmitButton>
    </Form>
  );
}
