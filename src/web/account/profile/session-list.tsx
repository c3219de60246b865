/** List of the account's sessions with buttons that end them. */

import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { UntrustedText } from "../../../report/components/untrusted-text.tsx";
import { useI18n } from "../../../report/context.ts";
import type { Account } from "../../../store/accounts.ts";
import { type Session, sessionDays, sessionIdleDays } from "../../../store/sessions.ts";
import type { I18n } from "../../../text/translator.ts";
import { LastUse } from "../../components/last-use.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { browserName } from "./browser-name.ts";

export function SessionsSection({ account, current }: { readonly account: Account; readonly current: number }) {
  const { i18n, settings, now } = useVisit();
  const sessions = settings.store.sessions.listOfAccount(account.id, now).toReversed();
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{i18n.t("account.sessions.title")}</h2>
      <DataTable
        caption={i18n.t("account.sessions.caption")}
        captionUnseen
        rows={sessions}
        columns={[
          { label: i18n.t("account.sessions.browser"), cell: ({ userAgent }) => browserOf(userAgent, i18n) },
          { label: i18n.t("account.sessions.address"), cell: ({ address }) => <UntrustedText>{address}</UntrustedText> },
          { label: i18n.t("account.sessions.created"), cell: ({ createdAt }) => <Instant at={createdAt} relative={false} /> },
          {
            label: i18n.t("account.sessions.lastSeen"),
            cell: ({ createdAt, lastSeenAt }) => <LastUse createdAt={createdAt} hour={lastSeenAt} />,
          },
          {
            label: i18n.t("account.sessions.end"),
            cell: (session) => (session.id === current ? i18n.t("account.sessions.current") : <EndSession session={session} />),
          },
        ]}
      />
      <p class="hint">{i18n.t("account.sessions.addressHint", { idleDays: sessionIdleDays, days: sessionDays })}</p>
      {sessions.length > 1 && (
        <Form action="/account">
          <input type="hidden" name="do" value="end-others" />
          <SubmitButton kind="danger">{i18n.t("account.sessions.endOthers")}</SubmitButton>
        </Form>
      )}
    </section>
  );
}

/** An unknown client is shown by its User-Agent. */
function browserOf(userAgent: string, i18n: I18n) {
  if (userAgent === "") return i18n.t("account.sessions.unknown");
  return browserName(userAgent) ?? <UntrustedText>{userAgent}</UntrustedText>;
}

function EndSession({ session: { id, createdAt } }: { readonly session: Session }) {
  const i18n = useI18n();
  return (
    <Form action="/account">
      <input type="hidden" name="do" value="end-session" />
      <input type="hidden" name="session" value={String(id)} />
      <SubmitButton kind="plain" compact label={i18n.t("account.sessions.endOf", { moment: i18n.dateTime(createdAt) })}>
        {i18n.t("account.sessions.end")}
      </SubmitButton>
    </Form>
  );
}
