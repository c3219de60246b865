/** SPF evidence of a domain: its record, and what the names that it leads to answer. */
import { failed, read } from "../../src/evidence/evidence.ts";
import type { MailSpfFacts } from "../../src/evidence/facts.ts";
import { textRecords } from "./evidence.ts";

type Followed = MailSpfFacts["followed"][number];

const domain = "site.example";

/** Records by `TYPE name`; `absent` for a name that does not exist, `timeout` when nobody answered. */
export type SpfAnswersGiven = Readonly<Record<string, readonly string[] | "absent" | "timeout">>;

/** The evidence of `site.example` with that record. */
export function spfEvidence(record: string, answers: SpfAnswersGiven = {}, given: Partial<MailSpfFacts> = {}) {
  const followed = Object.entries(answers).map(([question, answer]): Followed => {
    const [type = "", name = ""] = question.split(" ");
    return { name, type: type as Followed["type"], answer: answerOf(answer) };
  });
  return { mailSpf: { domain, own: textRecords(domain, record), followed, followedDropped: 0, ...given } };
}

function answerOf(answer: SpfAnswersGiven[string]): Followed["answer"] {
  if (answer === "timeout") return failed("timeout");
  if (answer === "absent") return read({ nameExists: false, records: [] });
  return read({ nameExists: true, records: answer.map((text) => ({ text, truncated: false })) });
}

/** The record of the domain was longer than what is kept. */
export function cutSpf(text: string): Partial<MailSpfFacts> {
  return { own: { ...textRecords(domain), records: [{ text, truncated: true }] } };
}
