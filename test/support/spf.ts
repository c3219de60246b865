/** Builds the SPF evidence of a domain: its record, and the DNS answers for the names in it. */

import type { MailSpfFacts } from "../../src/evidence/dns-facts.ts";
import { failed, read } from "../../src/evidence/evidence.ts";
import { textRecords } from "./evidence.ts";

type Followed = MailSpfFacts["followed"][number];

const domain = "site.example";

/** Records by `TYPE name`; `absent` is a name that does not exist, `timeout` a missing answer. */
export type SpfDnsAnswers = Readonly<Record<string, readonly string[] | "absent" | "timeout">>;

/** Evidence of `site.example` with that record. */
export function spfEvidence(record: string, answers: SpfDnsAnswers = {}, changes: Partial<MailSpfFacts> = {}) {
  const followed = Object.entries(answers).map(([question, answer]): Followed => {
    const [type = "", name = ""] = question.split(" ");
    return { name, type: type as Followed["type"], answer: answerOf(answer) };
  });
  return { mailSpf: { domain, own: textRecords(domain, record), followed, followedDropped: 0, ...changes } };
}

function answerOf(answer: SpfDnsAnswers[string]): Followed["answer"] {
  if (answer === "timeout") return failed("timeout");
  if (answer === "absent") return read({ nameExists: false, records: [] });
  return read({ nameExists: true, records: answer.map((text) => ({ text, truncated: false })) });
}

/** Facts of a domain whose record was truncated. */
export function truncatedSpf(text: string): Partial<MailSpfFacts> {
  return { own: { ...textRecords(domain), records: [{ text, truncated: true }] } };
}
