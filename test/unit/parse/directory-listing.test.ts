/** Listings that servers write, and pages that only resemble them. The real markup is in `test/browser/probe/page-markup.test.ts`. */
import { expect, test } from "vitest";
import type { DocumentOutline, OutlineLink } from "../../../src/evidence/page-facts.ts";
import { directoryListingOf } from "../../../src/parse/directory-listing.ts";

const outline = (title: string, body: string, links: readonly OutlineLink[], more: Partial<DocumentOutline> = {}): DocumentOutline => ({
  title,
  heading: title,
  bodyElements: body.split(" "),
  links,
  lastLink: links.at(-1) ?? null,
  ...more,
});
const link = (href: string, text = href): OutlineLink => ({ href, text });
const sorting = link("?C=N;O=D", "Name");

const listings: readonly (readonly [string, DocumentOutline, string])[] = [
  ["nginx", outline("Index of /", "h1 hr pre hr", [link("../"), link("a.txt")]), "nginx"],
  ["nginx, an empty folder", outline("Index of /a/b/", "h1 hr pre hr", [link("../")]), "nginx"],
  ["Apache, a table", outline("Index of /", "h1 table address", [sorting, link("a.txt")]), "Apache"],
  ["Apache, preformatted", outline("Index of /a", "h1 pre", [link("?C=N&O=D", "Name")]), "Apache"],
  ["Apache, a plain list", outline("Index of /a", "h1 ul", [link("/", " Parent Directory"), link("b%20c.txt", " b c.txt")]), "Apache"],
  [
    "Caddy",
    outline("files", "header main footer", [
      link("/", "/"),
      link("?sort=namedirfirst&order=desc", "Name"),
      link("https://caddyserver.com", "Caddy"),
    ]),
    "Caddy",
  ],
  [
    "IIS",
    outline("site.example - /files/", "h1 hr pre hr", [link("/", "[To Parent Directory]"), link("/files/a%20b.txt", "a b.txt")]),
    "IIS",
  ],
  ["IIS, the root", outline("site.example - /", "h1 hr pre hr", [link("/aspnet_client/", "aspnet_client")]), "IIS"],
];
test.each(listings)("%s", (_words, given, server) => expect(directoryListingOf(given)).toBe(server as never));

const others: readonly (readonly [string, DocumentOutline])[] = [
  ["an article", outline("Index of /", "header main footer", [link("/", "Home")])],
  ["only the title", outline("Index of /", "h1 hr pre hr", [link("../")], { heading: "Welcome" })],
  ["a list of chapters", outline("Index of /topics", "h1 ul", [link("#a", " A"), link("#b", "B")])],
  ["a list of links with other texts", outline("Index of /topics", "h1 ul", [link("a.html", " Alpha")])],
  ["a table that does not sort", outline("Index of /", "h1 table", [link("a.txt")])],
  ["a page that praises Caddy", outline("files", "header main footer", [link("https://caddyserver.com", "Caddy")])],
  ["a page with preformatted text", outline("Code - /a/", "h1 hr pre hr", [link("/b", "another")])],
  ["an empty folder of IIS shows nothing", outline("site.example - /", "h1 hr pre hr", [])],
  ["no element", outline("", "", [])],
];
test.each(others)("no listing: %s", (_words, given) => expect(directoryListingOf(given)).toBeNull());
