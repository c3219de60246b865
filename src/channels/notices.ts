/** Mails to one person that are sent at once: links to confirm and to sign in, and the notice of a channel that was disabled. */
import { messageOf } from "../base/log.ts";
import { dayMs, minuteMs } from "../base/units.ts";
import { emailKey } from "../store/account-index.ts";
import type { Account } from "../store/accounts.ts";
import type { Channel } from "../store/channels.ts";
import { randomBase62 } from "../store/secret-value.ts";
import type { MemberInvitation } from "../store/site-accounts.ts";
import type { PageLocale } from "../text/i18n.ts";
import type { RenderedMail } from "./mail-frame.ts";
import {
  channelDisabledMail,
  confirmationMail,
  type DeliveryParts,
  mailContext,
  memberInvitationMail,
  messageIdOf,
  oneTimeLinkMail,
} from "./mail-text.ts";
import { createHourlyQuota } from "./pacing.ts";

/** Mails that one account may cause in an hour, apart from its deliveries. */
const mailsOfAccountPerHourMax = 10;
/** Such mails that one address gets in an hour, from all accounts together. Apart from it, as many to an account about itself. */
const mailsToAddressPerHourMax = 5;
const idChars = 22;
/** Wait before a notice that was not sent is tried again, and its last attempt after the channel was disabled. */
const noticeRetryMs = 30 * minuteMs;
const noticeAgeMsMax = 3 * dayMs;

/** `too-many`: the account or the address got enough of them in this hour. */
export type NoticeOutcome = "sent" | "failed" | "too-many" | "no-mail";

export type NoticeMails = ReturnType<typeof createPersonalMails>;
export type RunningNotices = ReturnType<typeof createNotices>;

export function createNotices(parts: DeliveryParts, ending: AbortSignal) {
  const mail = createNoticeMailer(parts, ending);
  return { ...createPersonalMails(parts, mail), ...createDisabledNotices(parts, mail, ending) };
}

/** `isAwaited`: a request waits for the outcome. */
type NoticeMailer = (to: string, name: string, render: () => RenderedMail, isAwaited: boolean) => Promise<NoticeOutcome>;

function createNoticeMailer(parts: DeliveryParts, ending: AbortSignal): NoticeMailer {
  const { clock, log, send } = parts;
  return async (to, name, render, isAwaited) => {
    if (send.mail === null) return "no-mail";
    try {
      const mail = { to, ...render(), messageId: messageIdOf(name, parts), date: clock.now(), unsubscribe: null };
      const outcome = await send.mail.send(mail, { signal: ending, isAwaited });
      if (outcome.result === "sent") return "sent";
      log.warn("mail not sent", { because: outcome.because, code: outcome.code });
    } catch (error) {
      log.error("mail failed inside", { because: messageOf(error) });
    }
    return "failed";
  };
}

/** Links are absolute, and valid for one use. No method rejects. A mail that a request waits for may still arrive after it `failed`. */
function createPersonalMails(parts: DeliveryParts, mail: NoticeMailer) {
  const { store, clock, send } = parts;
  const ofAccounts = createHourlyQuota(mailsOfAccountPerHourMax, clock);
  const toAddresses = createHourlyQuota(mailsToAddressPerHourMax, clock);
  // Apart, so that mails which others cause do not use up what a person needs to sign in.
  const resets = createHourlyQuota(mailsToAddressPerHourMax, clock);
  const newName = () => `notice-${randomBase62(clock, idChars)}`;

  async function limited(by: Account, to: string, render: () => RenderedMail): Promise<NoticeOutcome> {
    if (send.mail === null) return "no-mail";
    if (!ofAccounts.take(String(by.id)) || !toAddresses.take(emailKey(to))) return "too-many";
    return mail(to, newName(), render, true);
  }

  return {
    /** `value`: of `issueConfirmation`. */
    confirmation: async (channel: Channel, value: string): Promise<NoticeOutcome> => {
      const account = store.accounts.findById(channel.accountId);
      if (account === undefined) return "failed";
      return limited(account, channel.target, () => confirmationMail(mailContext(parts, account.locale), account, channel, value));
    },
    memberInvitation: (owner: Account, invitation: MemberInvitation, url: string): Promise<NoticeOutcome> =>
      limited(owner, invitation.email, () => memberInvitationMail(mailContext(parts, owner.locale), owner, invitation, url)),
    /** A page must not wait for it: the time would show whether there is such an account. */
    reset: async (account: Account, url: string, expiresAt: string): Promise<NoticeOutcome> => {
      if (send.mail === null) return "no-mail";
      if (!resets.take(String(account.id))) return "too-many";
      return mail(account.email, newName(), () => oneTimeLinkMail(mailContext(parts, account.locale), "reset", url, expiresAt), false);
    },
    /** `by`: account that invites. `locale`: of the page on which it did. */
    invitation: (
      by: Account,
      { email, locale }: { readonly email: string; readonly locale: PageLocale },
      url: string,
      expiresAt: string,
    ): Promise<NoticeOutcome> => limited(by, email, () => oneTimeLinkMail(mailContext(parts, locale), "invitation", url, expiresAt)),
  };
}

function createDisabledNotices(parts: DeliveryParts, mail: NoticeMailer, ending: AbortSignal) {
  const { store, clock, log } = parts;
  // Apart, so that invitations and confirmations of other accounts do not suppress them.
  const toAccounts = createHourlyQuota(mailsToAddressPerHourMax, clock);
  let sending: Promise<void> | null = null;
  /** Null while no channel waits for its notice. At the start, one may. */
  let dueAt: Date | null = clock.now();

  /** Whether the channel needs no further attempt. The notice has the same id in each. */
  async function send(channel: Channel): Promise<boolean> {
    const { accountId, id, disabled, kind, target } = channel;
    const [account, because] = [store.accounts.findById(accountId), disabled?.because];
    if (because !== "gone" && because !== "failed") return true;
    // Where mails to the account's own address have failed, none can report it.
    const readable = account !== undefined && !account.disabled && !(kind === "mail" && emailKey(target) === emailKey(account.email));
    const atMs = Date.parse(disabled?.at ?? "");
    const name = `disabled-${accountId}-${id}-${atMs}`;
    const outcome = readable
      ? await limited(account.email, name, () => channelDisabledMail(mailContext(parts, account.locale), channel, because))
      : "no-mail";
    const isPostponed = outcome === "failed" || outcome === "too-many";
    if (isPostponed && clock.now().getTime() - atMs < noticeAgeMsMax) return false;
    await store.channels.noteNotice(accountId, id);
    return true;
  }

  /** No one has confirmed the address of an account. A mail that was not sent does not count, because it is sent again. */
  async function limited(to: string, name: string, render: () => RenderedMail): Promise<NoticeOutcome> {
    if (toAccounts.isUsedUp(emailKey(to))) return "too-many";
    const outcome = await mail(to, name, render, false);
    if (outcome === "sent") toAccounts.take(emailKey(to));
    return outcome;
  }

  async function sendAll(): Promise<void> {
    let left = false;
    for (const channel of store.channels.noticesDue()) {
      if (ending.aborted) return;
      left = !(await send(channel)) || left;
    }
    // A channel that was disabled meanwhile is due at once.
    if (left) dueAt ??= new Date(clock.now().getTime() + noticeRetryMs);
  }

  /** Sends the notices of disabled channels whose time has come. Does not wait for them. */
  function sendDue(): void {
    if (sending !== null || dueAt === null || clock.now() < dueAt || ending.aborted) return;
    dueAt = null;
    sending = sendAll()
      .catch((error) => {
        log.error("notices of disabled channels failed", { because: messageOf(error) });
        dueAt = new Date(clock.now().getTime() + noticeRetryMs);
      })
      .finally(() => {
        sending = null;
        sendDue();
      });
  }

  return {
    sendDue,
    /** A channel was disabled. */
    wake: (): void => {
      dueAt = clock.now();
      sendDue();
    },
    /** Resolves when no notice is being sent. */
    idle: async (): Promise<void> => void (await sending),
  };
}
