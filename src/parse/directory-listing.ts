/** Recognises directory listings that web servers write themselves, by the structure of each server's page. */
import type { DocumentOutline, OutlineLink } from "../evidence/page-facts.ts";
import { percentDecoded } from "./text.ts";

export type ListingServer = "nginx" | "Apache" | "Caddy" | "IIS";

/** The server that wrote the listing; null for any other page, also for one that only has such a title. */
export function directoryListingOf(outline: DocumentOutline): ListingServer | null {
  const forms: readonly (readonly [ListingServer, (outline: DocumentOutline) => boolean])[] = [
    ["nginx", isNginxListing],
    ["Apache", isApacheListing],
    ["Caddy", isCaddyListing],
    ["IIS", isIisListing],
  ];
  return forms.find(([, matches]) => matches(outline))?.[0] ?? null;
}

/** ngx_http_autoindex_module: title and heading, a rule, the entries in a pre element, a rule. The first entry leads to the parent. */
function isNginxListing({ title, heading, bodyElements, links: [first] }: DocumentOutline): boolean {
  const isNamed = /^Index of \/(?:.*\/)?$/.test(title) && heading === title;
  return isNamed && bodyElements.join(" ") === "h1 hr pre hr" && first?.href === "../" && first.text === "../";
}

/** mod_autoindex: links that sort in a table or a pre element, or a plain list whose texts repeat their addresses. */
function isApacheListing({ title, heading, bodyElements: [first, second], links }: DocumentOutline): boolean {
  if (!/^Index of \//.test(title) || heading !== title || first !== "h1") return false;
  if (second === "ul") return links.length > 0 && links.every((link) => link.text.startsWith(" ") && isEntryOrParent(link));
  return (second === "table" || second === "pre") && links.some(({ href, text }) => /^\?C=N[;&]O=[AD]$/.test(href) && text === "Name");
}

function isEntryOrParent({ href, text }: OutlineLink): boolean {
  return text.trim() === "Parent Directory" || text.trim() === (percentDecoded(href) ?? href);
}

/** file_server with browse: links that sort by name, and a footer that names the server. */
function isCaddyListing({ bodyElements, links, lastLink }: DocumentOutline): boolean {
  const sorts = links.some(({ href }) => /^(?:\.\/)?\?sort=name(?:dirfirst)?&order=(?:asc|desc)\b/.test(href));
  return sorts && bodyElements.includes("footer") && /^https:\/\/caddyserver\.com\/?$/.test(lastLink?.href ?? "");
}

/** Directory browsing of IIS: host and folder as title and heading; the entries in a pre element have absolute paths. */
function isIisListing({ title, heading, bodyElements, links }: DocumentOutline): boolean {
  const folder = /^\S+ - (\/(?:.*\/)?)$/.exec(title)?.[1];
  if (folder === undefined || heading !== title || bodyElements.join(" ") !== "h1 hr pre hr" || links.length === 0) return false;
  const isEntry = ({ href, text }: OutlineLink) => {
    const path = (percentDecoded(href) ?? href).replace(/\/$/, "");
    return path.startsWith("/") && path.split("/").at(-1) === text;
  };
  const [first, ...others] = links;
  return first !== undefined && (isEntry(first) || /^\[.+\]$/.test(first.text)) && others.every(isEntry);
}
