/** Texts of the operator: `/imprint`, `/privacy`, security.txt (RFC 9116) and robots.txt (RFC 9309). */
import { Fragment } from "preact";
import { suggestedExpiry } from "../parse/security-txt.ts";
import { notFound } from "./errors.ts";
import { page } from "./page.tsx";
import { respond } from "./response.ts";
import type { Visit } from "./visit.ts";

export function legalPage(visit: Visit, kind: "imprint" | "privacy"): Response {
  const { i18n, settings } = visit;
  const text = settings.legal[kind];
  if (text === null) throw notFound();
  const title = i18n.t(`legal.${kind}`);
  return page(visit, {
    title,
    children: (
      <>
        <h1>{title}</h1>
        {paragraphsOf(text).map((lines, at) => (
          <p key={String(at)}>
            {lines.map((line, number) => (
              <Fragment key={String(number)}>
                {number > 0 && <br />}
                {line}
              </Fragment>
            ))}
          </p>
        ))}
      </>
    ),
  });
}

/** Blank lines separate paragraphs; single line breaks are kept, as postal addresses need them. */
function paragraphsOf(text: string): readonly (readonly string[])[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/(?:\r?\n[ \t]*){2,}/)
    .map((paragraph) => paragraph.trim().split(/\r?\n/))
    .filter(([first]) => first !== "");
}

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
