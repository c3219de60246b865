/** Sentences on a page of a proof that command line, HTML file and pages share. */
import type { ProofBody } from "../evidence/proof.ts";
import type { TextValues } from "../text/i18n.ts";
import { type CanaryResult, hasRunning } from "./canaries.ts";

type PageOfProof = ProofBody["pages"][number];

/** Text of a path below `proof` in the locales; the parts are separated by `/`. */
export type Say = (path: string, values?: TextValues) => string;

interface Judged extends Pick<PageOfProof, "verdict" | "because" | "blockedDropped" | "canaries"> {
  readonly blocked: readonly unknown[];
}

export function verdictSentence({ verdict, because, blocked, blockedDropped, canaries }: Judged, say: Say): string {
  if (because !== null) return say(`unknown/${because}`);
  if (verdict === "works" && hasRunning(canaries)) return say("weak");
  if (verdict !== "blocks") return say(verdict);
  return say(blockedDropped > 0 ? "blocksAtLeast" : "blocks", { count: blocked.length });
}

/** What differs from the visits without the headers. The words of the page itself are in it. */
export function changeSentences(
  { lost, newErrors, elements, movedTo }: Pick<PageOfProof, "lost" | "newErrors" | "elements" | "movedTo">,
  say: Say,
): readonly string[] {
  return [
    ...(movedTo === null ? [] : [say("movedTo", { url: movedTo })]),
    ...lost.map(({ kind, url }) => say("lost", { kind, url })),
    ...newErrors.map(({ text }) => say("newError", { text })),
    ...elements.map(({ name, before, after }) =>
      name === "#text" ? say("textChars", { before, after }) : say("elements", { name, before, after }),
    ),
  ];
}

/** Name of the injected code, with its host for code of other hosts. */
export function canaryName({ name }: Pick<CanaryResult, "name">, say: Say): string {
  const [kind = "", host = ""] = name.split(" ");
  return say(`canaryNames/${kind}`, { host });
}

/** A source that no visit needed. */
export function unneededSentence({ directive, source }: NonNullable<ProofBody["unneeded"]>[number], say: Say): string {
  return say("unneededItem", { directive, source });
}

export function refusedSentence({ rung, because }: Pick<ProofBody["refused"][number], "rung" | "because">, say: Say): string {
  return say("refusedItem", { rung: say(`rungs/${rung}`), because: say(`refusals/${because}`) });
}
