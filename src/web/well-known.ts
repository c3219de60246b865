/** security.txt (RFC 9116) and robots.txt (RFC 9309). */
import { suggestedExpiry } from "../parse/security-txt.ts";
import { notFound } from "./errors.ts";
import { respond } from "./response.ts";
import type { Visit } from "./visit.ts";

const securityTxtPath = "/.well-known/security.txt";
/** Its expiry date moves on daily. */
const cacheOneDay = "public, max-age=86400";

export function getSecurityTxt(visit: Visit): Response {
  const { "security.contact": contact, public_url } = visit.settings.config;
  if (contact === null) throw notFound();
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${suggestedExpiry(visit.now.toISOString())}`,
    "Preferred-Languages: en, de",
    // RFC 9116 section 2.5.2 requires https.
    ...(public_url?.startsWith("https:") ? [`Canonical: ${public_url}${securityTxtPath}`] : []),
  ];
  return plainText(visit, lines);
}

/** Programs that fetch a link which somebody shared, to show its preview. They index nothing. */
const previewAgents = [
  "facebookexternalhit",
  "Twitterbot",
  "LinkedInBot",
  "Slackbot-LinkExpanding",
  "TelegramBot",
  "WhatsApp",
  "Discordbot",
];

/** Reports concern third parties: not indexed unless the operator allows it. Search engines have no account. */
export function getRobotsTxt(visit: Visit): Response {
  const { config } = visit.settings;
  const isIndexed = config["report.index"] && config.readers === "everybody";
  const previews = [...previewAgents.map((agent) => `User-agent: ${agent}`), "Allow: /", ""];
  return plainText(visit, [...previews, "User-agent: *", isIndexed ? "Disallow:" : "Disallow: /scans/"]);
}

function plainText(visit: Visit, lines: readonly string[]): Response {
  const body = lines.map((line) => `${line}\n`).join("");
  return respond(visit, 200, body, { "content-type": "text/plain; charset=utf-8", "cache-control": cacheOneDay });
}
