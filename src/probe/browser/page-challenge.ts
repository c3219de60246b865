/** Tells an answer of the site from one that a bot defence gave in its place: grading that as the site is the field's most common false verdict. */
import type { HttpAnswer } from "../../evidence/facts.ts";

/** A field that a defence puts on its challenges and on nothing else. */
const challengeFields: readonly { readonly name: string; readonly value: RegExp }[] = [
  // Cloudflare
  { name: "cf-mitigated", value: /^challenge$/i },
  // AWS WAF
  { name: "x-amzn-waf-action", value: /^(challenge|captcha)$/i },
  // Vercel
  { name: "x-vercel-mitigated", value: /^(challenge|deny)$/i },
  // DataDome: on its own answers alone; x-datadome stands on those that it let through as well
  { name: "server", value: /^datadome$/i },
  // SiteGround
  { name: "sg-captcha", value: /^challenge$/i },
];

/** Titles of challenges that carry no such field, and the statuses they come with: Cloudflare, DDoS-Guard, Vercel, Imperva, HUMAN. */
const challengeTitles =
  /^(Just a moment\.\.\.|Attention Required! \| Cloudflare|DDoS-Guard|Vercel Security Checkpoint|Pardon Our Interruption|Access to this page has been denied)$/;
const challengeStatuses = [202, 403, 405, 429, 503];
/** Titles that stand for themselves: these defences answer 200, so that no search engine takes the site for broken. Anubis, go-away. */
const challengeTitlesOfAnyStatus = /^(Making sure you're not a bot!|Checking you are not a bot)$/;

/** `title` is null when the document could not be read. */
export function isChallenge({ status, headers }: Pick<HttpAnswer, "status" | "headers">, title: string | null): boolean {
  const marked = headers.some((field) =>
    challengeFields.some(({ name, value }) => field.name.toLowerCase() === name && value.test(field.value.trim())),
  );
  const named = title?.trim() ?? "";
  return marked || challengeTitlesOfAnyStatus.test(named) || (challengeStatuses.includes(status) && challengeTitles.test(named));
}
