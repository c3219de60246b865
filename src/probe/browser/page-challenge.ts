/** Detects challenges of bot defences, so that they are not graded as the site. */
import type { HttpAnswer } from "../../evidence/http-facts.ts";

/** Header fields that appear on challenges only. */
const challengeFields: readonly { readonly name: string; readonly value: RegExp }[] = [
  { name: "cf-mitigated", value: /^challenge$/i }, // Cloudflare
  { name: "x-amzn-waf-action", value: /^(challenge|captcha)$/i }, // AWS WAF
  { name: "x-vercel-mitigated", value: /^(challenge|deny)$/i }, // Vercel
  { name: "server", value: /^datadome$/i }, // DataDome: on its own answers only; x-datadome is also on answers of the site
  { name: "sg-captcha", value: /^challenge$/i }, // SiteGround
];

/** Titles and statuses of challenges without such a field: Cloudflare, DDoS-Guard, Vercel, Imperva, HUMAN. */
const challengeTitles =
  /^(Just a moment\.\.\.|Attention Required! \| Cloudflare|DDoS-Guard|Vercel Security Checkpoint|Pardon Our Interruption|Access to this page has been denied)$/;
const challengeStatuses = [202, 403, 405, 429, 503];
/** Titles that suffice with any status: these defences answer 200, for search engines. Anubis, go-away. */
const challengeTitlesOfAnyStatus = /^(Making sure you're not a bot!|Checking you are not a bot)$/;

/** `title` is null when the document could not be read. */
export function isChallenge({ status, headers }: Pick<HttpAnswer, "status" | "headers">, title: string | null): boolean {
  const hasField = headers.some((field) =>
    challengeFields.some(({ name, value }) => field.name.toLowerCase() === name && value.test(field.value.trim())),
  );
  const trimmed = title?.trim() ?? "";
  return hasField || challengeTitlesOfAnyStatus.test(trimmed) || (challengeStatuses.includes(status) && challengeTitles.test(trimmed));
}
