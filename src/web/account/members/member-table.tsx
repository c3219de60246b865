/** Tables of `/account/members`: members of the account, and owners whose sites it shares. */
import { Instant } from "../../../report/components/labels.tsx";
import { DataTable } from "../../../report/components/layout.tsx";
import { plainUntrustedText, UntrustedText } from "../../../report/components/untrusted-text.tsx";
import type { Account } from "../../../store/accounts.ts";
import { type Member, memberRoles } from "../../../store/site-accounts.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { ownerPath } from "../../sites/site-access.ts";
import type { OwnTableProps } from "./invitations.tsx";

/** Member or owner. */
interface Person extends Member {
  readonly account: Account;
}

interface PersonFormProps {
  readonly person: Person;
  readonly action: string;
}

/** A deleted account may be left for a moment; it is not shown. */
function usePeople(members: readonly Member[], idOf: (member: Member) => number): readonly Person[] {
  const { store } = useVisit().settings;
  return members.flatMap((member) => {
    const account = store.accounts.findById(idOf(member));
    return account === undefined ? [] : [{ ...member, account }];
  });
}

export function MemberTable({ account, action }: OwnTableProps) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.list(account.id), ({ memberId }) => memberId);
  if (people.length === 0) return <EmptyState title={i18n.t("members.none")} />;
  return (
    <section aria-labelledby="members">
      <h2 id="members">{i18n.t("members.caption")}</h2>
      <DataTable
        caption={i18n.t("members.caption")}
        captionUnseen
        rows={people}
        columns={[
          { label: i18n.t("credentials.email"), cell: (person) => <UntrustedText>{person.account.email}</UntrustedText> },
          { label: i18n.t("members.since"), cell: ({ since }) => <Instant at={since} day relative={false} /> },
          { label: i18n.t("members.role"), cell: (person) => <RoleForm person={person} action={action} /> },
          {
            label: i18n.t("members.action"),
            cell: (person) => (
              <EndForm
                person={person}
                action={action}
                operation="remove"
                text={i18n.t("members.remove")}
                label={i18n.t("members.removeOf", { email: plainUntrustedText(person.account.email) })}
              />
            ),
          },
        ]}
      />
      <p class="hint">{i18n.t("members.means")}</p>
    </section>
  );
}

/** Null if no other account shares its sites. */
export function OwnerTable({ account, action }: OwnTableProps) {
  const { i18n, settings } = useVisit();
  const people = usePeople(settings.store.members.owners(account.id), ({ ownerId }) => ownerId);
  if (people.length === 0) return null;
  return (
    <section aria-labelledby="owners">
      <h2 id="owners">{i18n.t("members.owners.caption")}</h2>
      <DataTable
        caption={i18n.t("members.owners.caption")}
        captionUnseen
        rows={people}
        columns={[
          {
            label: i18n.t("members.owners.owner"),
            cell: ({ account: owner, role }) => (
              <a href={ownerPath("/sites", { owner, role })}>
                <UntrustedText>{owner.email}</UntrustedText>
              </a>
            ),
          },
          { label: i18n.t("members.since"), cell: ({ since }) => <Instant at={since} day relative={false} /> },
          { label: i18n.t("members.role"), cell: ({ role }) => i18n.t(`members.roles.${role}`) },
          {
            label: i18n.t("members.action"),
            cell: (person) => (
              <EndForm
                person={person}
                action={action}
                operation="leave"
                text={i18n.t("members.owners.leave")}
                label={i18n.t("members.owners.leaveOf", { email: plainUntrustedText(person.account.email) })}
              />
            ),
          },
        ]}
      />
    </section>
  );
}

function RoleForm({ person: { account, role }, action }: PersonFormProps) {
  const { i18n } = useVisit();
  const email = plainUntrustedText(account.email);
  return (
    <Form action={action}>
      <input type="hidden" name="do" value="role" />
      <input type="hidden" name="account" value={String(account.id)} />
      <select name="role" aria-label={i18n.t("members.roleOf", { email })}>
        {memberRoles.map((one) => (
          <option key={one} value={one} selected={one === role}>
            {i18n.t(`members.roles.${one}`)}
          </option>
        ))}
      </select>{" "}
      <SubmitButton kind="plain" compact label={i18n.t("members.setRoleOf", { email })}>
        {i18n.t("members.setRole")}
      </SubmitButton>
    </Form>
  );
}

interface EndFormProps extends PersonFormProps {
  readonly operation: "remove" | "leave";
  readonly text: string;
  /** Accessible name, with the address. */
  readonly label: string;
}

function EndForm({ person, action, operation, text, label }: EndFormProps) {
  return (
    <Form action={action}>
      <input type="hidden" name="do" value={operation} />
      <input type="hidden" name="account" value={String(person.account.id)} />
      <SubmitButton kind="danger" compact label={label}>
        {text}
      </SubmitButton>
    </Form>
  );
}
