/** A proof as text: the verdict, what is blocked and how to allow it, what changes, the predicted score, and the headers to copy. */
import type { BlockedByPolicy } from "../../evidence/observation.ts";
import { wayToAllow } from "../../prove/allow.ts";
import { changedRows, hasRunning, headersToCopy, type PageProof, type Proof, proofVerdict } from "../../prove/prove.ts";
import type { TextValues } from "../../text/i18n.ts";
import { type ReportStyle, wrapped } from "../scan/report-text.ts";
import { stripControls } from "../terminal.ts";

const indent = "  ";
/** Lines of each list; the JSON has all. */
const listedMax = 20;

type Say = (path: string, values?: TextValues) => string;

export function proofText(proof: Proof, style: ReportStyle): string {
  const say: Say = (path, values) => style.texts.translate(style.locale, ["proof", ...path.split("/")], values) ?? path;
  const lines: Lines = (text, margin = indent) => wrapped(text, margin, style);
  const { pages, origin } = proof;
  return [
    ...pages.flatMap((page) => pageLines(page, origin, say, lines)),
    ...refusedLines(proof, say, lines),
    ...headerLines(proof, say, lines),
  ].join("\n");
}

function pageLines(page: PageProof, origin: string, say: Say, lines: Lines): readonly string[] {
  return [
    stripControls(page.url),
    ...lines(sentenceOn(page, say)),
    ...(page.serviceWorker ? lines(say("serviceWorker")) : []),
    ...scoreLines(page, say, lines),
    ...blockedLines(page.comparison.blocked, origin, say, lines),
    ...changeLines(page, say, lines),
    ...canaryLines(page, say, lines),
  ];
}

function sentenceOn({ comparison: { verdict, because, blocked, blockedDropped }, canaries }: PageProof, say: Say): string {
  if (because !== null) return say(`unknown/${because}`);
  if (verdict === "works" && hasRunning(canaries)) return say("weak");
  if (verdict !== "blocks") return say(verdict);
  return say(blockedDropped > 0 ? "blocksAtLeast" : "blocks", { count: blocked.length });
}

type Lines = (text: string, margin?: string) => readonly string[];

function scoreLines({ before, after }: PageProof, say: Say, lines: Lines): readonly string[] {
  if (before === null || after === null) return [];
  const score = (value: number | null) => (value === null ? say("noScore") : value);
  const rows = changedRows({ before, after }).slice(0, listedMax);
  const unread = rows.some(({ because }) => because === "header-truncated");
  return [
    ...lines(say("score", { before: score(before.score), after: score(after.score) })),
    ...rows.flatMap((row) =>
      lines(say("row", { key: row.key, before: say(`states/${row.before}`), after: say(`states/${row.after}`) }), indent + indent),
    ),
    ...(unread ? lines(say("unreadRows"), indent + indent) : []),
  ];
}

function blockedLines(blocked: readonly BlockedByPolicy[], url: string, say: Say, lines: Lines): readonly string[] {
  if (blocked.length === 0) return [];
  const told = blocked.slice(0, listedMax).flatMap((one) => {
    const { way, directive, source } = wayToAllow(one, url);
    const place = one.file === null ? "" : one.line === null ? one.file : `${one.file}:${one.line}`;
    const values = { directive: one.directive, what: one.url || say(`kinds/${one.kind}`), place };
    return [
      ...lines(say(place === "" ? "blockedItem" : "blockedItemAt", values), indent + indent),
      ...lines(say(`allow/${way}`, { directive, source }), indent + indent + indent),
    ];
  });
  return ["", ...lines(say("blockedHead")), ...told, ...moreLine(blocked.length, say, lines)];
}

function moreLine(total: number, say: Say, lines: Lines): readonly string[] {
  return total > listedMax ? lines(say("more", { count: total - listedMax }), indent + indent) : [];
}

function changeLines({ comparison }: PageProof, say: Say, lines: Lines): readonly string[] {
  const { lost, newErrors, elements, movedTo, noise } = comparison;
  const items = [
    ...(movedTo === null ? [] : [say("movedTo", { url: movedTo })]),
    ...lost.map(({ kind, url }) => say("lost", { kind, url })),
    ...newErrors.map(({ text }) => say("newError", { text })),
    ...elements.map(({ name, before, after }) =>
      name === "#text" ? say("textChars", { before, after }) : say("elements", { name, before, after }),
    ),
  ];
  const changes =
    items.length === 0
      ? []
      : ["", ...lines(say("changesHead")), ...items.slice(0, listedMax).flatMap((item) => lines(item, indent + indent))];
  return [...changes, ...moreLine(items.length, say, lines), ...(noise > 0 ? lines(say("noise", { count: noise })) : [])];
}

function canaryLines({ canaries }: PageProof, say: Say, lines: Lines): readonly string[] {
  if (canaries.length === 0) return [];
  const items = canaries.map(({ name, outcome }) => {
    const [kind = "", host = ""] = name.split(" ");
    return say("canary", { name: say(`canaryNames/${kind}`, { host }), outcome: say(`canaryOutcomes/${outcome}`) });
  });
  return ["", ...lines(say("canariesHead")), ...items.flatMap((item) => lines(item, indent + indent))];
}

function refusedLines({ refused }: Proof, say: Say, lines: Lines): readonly string[] {
  if (refused.length === 0) return [];
  const items = refused.map(({ rung, because }) => say("refusedItem", { rung: say(`rungs/${rung}`), because: say(`refusals/${because}`) }));
  return ["", ...lines(say("refusedHead")), ...items.flatMap((item) => lines(item, indent + indent))];
}

/** Unwrapped, so that they can be copied. */
function headerLines(proof: Proof, say: Say, lines: Lines): readonly string[] {
  const { headers, rung, costs } = proof;
  if (headers.length === 0) return [];
  const copied = headersToCopy(proof).flatMap(({ name, value }) =>
    value === null ? [] : [`${indent}${indent}${stripControls(`${name}: ${value}`)}`],
  );
  const title =
    proofVerdict(proof) !== "works" ? say("triedHeaders") : rung === null ? say("headers") : say("draft", { rung: say(`rungs/${rung}`) });
  return ["", ...lines(title), ...copied, ...costs.flatMap((cost) => lines(say(`costs/${cost}`)))];
}
