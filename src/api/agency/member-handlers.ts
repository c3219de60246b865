/** Members who share the sites of the account, and invitations. */
import { type InvitationFault, inviteMember, memberInvitationPath } from "../../account/member-invitations.ts";
import { recordIdOf } from "../../base/record-id.ts";
import { emailCharsMax, emailKey } from "../../store/account-index.ts";
import { type Member, type MemberInvitation, type MemberRole, memberInvitationsMax, memberRoles } from "../../store/site-accounts.ts";
import { ApiError, invalidFields } from "../errors.ts";
import { callingAccount } from "../own-scan.ts";
import { type AccountRequest, answerJson, answerNothing, readFields } from "../sites/account-request.ts";
import { recordNotFound, recordsExceeded } from "../sites/site-errors.ts";
import { written } from "../writing.ts";
import { type AgencyApiSettings, invitationsPath } from "./agency-settings.ts";

export function createMemberHandlers(settings: AgencyApiSettings) {
  const { store, mail, publicUrl, now } = settings;
  return { list, change, remove, invitations, invite, withdraw };

  function list(given: AccountRequest): Response {
    const items = store.members.list(callingAccount(given.requestContext).id).flatMap((member) => memberBody(member) ?? []);
    return answerJson(given, 200, { items });
  }

  async function change(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: ["role"], required: "role" });
    const role = roleOf(fields.role);
    const member = await written(() => store.members.setRole(account.id, recordIdOf(given.params.id), role));
    const body = member === undefined ? null : memberBody(member);
    if (body === null) throw recordNotFound("member");
    return answerJson(given, 200, body);
  }

  async function remove(given: AccountRequest): Promise<Response> {
    const { id } = callingAccount(given.requestContext);
    if (!(await written(() => store.members.remove(id, recordIdOf(given.params.id), id)))) throw recordNotFound("member");
    return answerNothing(given);
  }

  function invitations(given: AccountRequest): Response {
    const { id } = callingAccount(given.requestContext);
    return answerJson(given, 200, { items: store.members.invitations(id, now()).map(invitationBody) });
  }

  /** The link is in the answer only if no mail carries it. */
  async function invite(given: AccountRequest): Promise<Response> {
    const { account, fields } = await readFields(settings, given, { names: ["email", "role"], required: "email" });
    const [email, role] = [emailOf(fields.email), roleOf(fields.role)];
    const terms = { store, send: mail?.memberInvitation ?? null, origin: publicUrl ?? "", now: now() };
    const invited = await written(() => inviteMember(terms, account, { email, role }));
    if (typeof invited === "string") throw invitationRefused(invited);
    const acceptUrl = invited.mail === "sent" ? null : memberInvitationPath(invited.value);
    const location = `${invitationsPath}/${encodeURIComponent(invited.invitation.email)}`;
    return answerJson(given, 201, { ...invitationBody(invited.invitation), mail: invited.mail, acceptUrl }, { location });
  }

  async function withdraw(given: AccountRequest): Promise<Response> {
    const { id } = callingAccount(given.requestContext);
    const email = emailKey(given.params.email ?? "");
    const open = store.members.invitations(id, now()).find((one) => emailKey(one.email) === email);
    if (open === undefined) throw recordNotFound("invitation");
    await written(() => store.members.withdraw(id, open.email));
    return answerNothing(given);
  }

  /** Null for an account that is being deleted. */
  function memberBody({ memberId, role, since }: Member): object | null {
    const account = store.accounts.findById(memberId);
    return account === undefined ? null : { id: memberId, email: account.email, role, since };
  }
}

function invitationBody({ email, role, expiresAt }: MemberInvitation): object {
  return { email, role, expiresAt };
}

/** @throws ApiError 400 */
function roleOf(given: unknown): MemberRole {
  const role = memberRoles.find((each) => each === given);
  if (role === undefined) throw invalidFields({ role: [`must be one of ${memberRoles.join(", ")}`] });
  return role;
}

/** @throws ApiError 400 */
function emailOf(given: unknown): string {
  if (given === undefined || given === null || given === "") throw invalidFields({ email: ["is required"] });
  if (typeof given !== "string" || given.length > emailCharsMax) throw invitationRefused("email-invalid");
  return given.trim();
}

function invitationRefused(fault: InvitationFault): ApiError {
  switch (fault) {
    case "email-invalid":
      return invalidFields({ email: ["must be a mail address"] });
    case "own":
      return invalidFields({ email: ["must not be the address of the account itself"] });
    case "member":
      return new ApiError(409, "This address is a member already.");
    case "full":
      return recordsExceeded("open invitations", memberInvitationsMax);
  }
}
