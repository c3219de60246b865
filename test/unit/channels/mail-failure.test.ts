/** Replies to the recipient of a mail, in the words of real servers: which of them say that there is no such mailbox. */
import { describe, expect, test } from "vitest";
import { mailFailureOf } from "../../../src/channels/mail.ts";

/** Failure as the SMTP client reports it: the lines of the reply with their codes. */
function failureOf(response: string) {
  return mailFailureOf({ command: "RCPT TO", code: "EENVELOPE", responseCode: Number(response.slice(0, 3)), response, permanent: true });
}

describe("a reply without an enhanced code blames the recipient: ", () => {
  test.each([
    ["Postfix", "550 <x@client.test>: Recipient address rejected: User unknown in local recipient table"],
    ["Postfix", "550 <x@client.test>: Recipient address rejected: User unknown in virtual mailbox table"],
    ["Postfix, of an address with the word of another cause", "550 <policy-client@relay.test>: Recipient address rejected: User unknown"],
    ["Exim", "550 Unknown user"],
    ["Exim", "550 unknown user <x@client.test>"],
    ["Exim", '550 unknown local-part "x" in domain "client.test"'],
    ["Exim with cPanel", "550 No Such User Here"],
    ["Exim with cPanel", '550-"No such user here"\n550 "No such user here"'],
    ["Exchange and Outlook.com", "550 Requested action not taken: mailbox unavailable"],
    ["Exchange", "550 Mailbox unavailable"],
    ["Gmail", "550 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address"],
    ["Sendmail", "550 <x@client.test>... User unknown"],
    ["Sendmail", "550 x@client.test... No such user"],
    ["qmail", "550 sorry, no mailbox here by that name. (#5.1.1)"],
    ["MDaemon", "550 <x@client.test>, Recipient unknown"],
    ["hMailServer", "550 Unknown user"],
    ["Courier", "550 User unknown."],
    ["CommuniGate", "550 x@client.test account: unknown user"],
    ["Mercury", "550 No such local user"],
    ["Mail.ru", "550 Message was not accepted -- invalid mailbox. Local mailbox x@client.test is unavailable: user not found"],
    ["163.com", "550 User not found: x@client.test"],
    ["QQ", "550 Mailbox not found"],
    ["a server", "550 Recipient <x@client.test> does not exist"],
    ["a server", "550 user doesn't exist"],
    ["a server", "550 Recipient not found"],
    ["a server", "550 Recipient address rejected as unknown"],
    ["a server", "550 Non-existent mailbox"],
    ["RFC 5321", "551 User not local; please try <x@other.test>"],
  ])("%s: %s", (_server, response) => {
    expect(failureOf(response)).toEqual({ because: "recipient", permanent: true, code: Number(response.slice(0, 3)) });
  });
});

describe("a reply without an enhanced code that may be about anything else blames no one: ", () => {
  test.each([
    "550 Access denied",
    "550 Sending quota exceeded for today",
    "550 Account limit exceeded",
    "550 Invalid HELO",
    "550 User not logged in",
    "550 SMTP service not enabled",
    "550 rejected because 192.0.2.1 is in a black list at bl.example.net",
    "550 not local host client.test, not a gateway",
    "550 SPF check failed",
    "550 No",
    "550 relay not permitted",
    "550 Sender verify failed",
    "550 Administrative prohibition",
    "550 Recipient rejected",
    "550 <x@client.test>: Recipient address rejected: Access denied",
    "550 <x@client.test>: Recipient address rejected: Domain not found",
    "550 Domain of sender address assay@assay.test does not exist",
    "550 The account assay has been suspended for outgoing mail",
    "550 Your account does not have permission to send",
    "550 Invalid user or password",
    "550 unknown user or wrong password",
    "550 Unknown host assay.test",
    "550 Reverse lookup of your host was not found",
    "550 Mailbox unavailable or access denied",
    // Exim verifies the sender at its own server, and quotes what that one replied.
    "550-Verification failed for <assay@assay.test>\n550-No Such User Here\n550 Sender verify failed",
    "550-Callback setup failed while verifying <assay@assay.test>\n550-The initial connection, or a HELO or MAIL FROM:<> command was rejected.\n550-No such user here\n550 Sender verify failed",
    // GMX and Web.de.
    "550-Requested action not taken: mailbox unavailable\n550 invalid DNS MX or A/AAAA resource record",
    "550-Requested action not taken: mailbox unavailable\n550 Reject due to policy restrictions.",
    // Not one of the codes of a mailbox.
    "554 User unknown",
    "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
  ])("%s", (response) => {
    expect(failureOf(response)).toEqual({ because: "refused", permanent: false, code: Number(response.slice(0, 3)) });
  });
});

test.each([
  ["550 5.1.1 <x@client.test>: Recipient address rejected: User unknown in virtual alias table", "recipient", true],
  ["550-5.1.1 The email account that you tried to reach does not exist.", "recipient", true],
  ["550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", "recipient", true],
  ["550 5.1.1 <x@client.test>... User unknown", "recipient", true],
  ["550 5.1.2 bad destination system address", "recipient", true],
  ["550 5.1.3 bad destination mailbox address syntax", "recipient", true],
  ["550 5.1.4 destination mailbox address ambiguous", "recipient", true],
  ["550 5.1.6 mailbox has moved", "recipient", true],
  ["552 5.2.2 The email account that you tried to reach is over quota", "recipient", false],
  ["550 5.7.1 Unable to relay for a user unknown", "refused", false],
] as const)("an enhanced code decides alone: %s", (response, because, permanent) => {
  expect(failureOf(response)).toMatchObject({ because, permanent });
});
