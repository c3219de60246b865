/** The list that tldts carries, as a file of publicsuffix.org, and the data that it was read from. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Trie {
  /** 1 for a rule of the section ICANN, 2 for one of PRIVATE. */
  readonly nodeFlags: Uint8Array;
  readonly edgeStart: ArrayLike<number>;
  readonly edgeChild: ArrayLike<number>;
  readonly edgeLength: ArrayLike<number>;
  readonly labelText: string;
  readonly rulesRoot: number;
  readonly exceptionsRoot: number;
}

// reads: node_modules/
const folder = resolve(import.meta.dirname, "../../node_modules/tldts");
const dataFile = resolve(folder, "dist/es6/src/data/trie.js");

export const embeddedListSource: string = readFileSync(dataFile, "utf8");
export const installedRelease: string = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8")).version;

/** Every rule of a section, with `*.` and `!`. */
export async function embeddedRules(section: "ICANN" | "PRIVATE"): Promise<readonly string[]> {
  const trie: Trie = await import(dataFile);
  const labels = labelsOf(trie);
  const flag = section === "ICANN" ? 1 : 2;
  const below = (node: number, name: string): readonly string[] => [
    ...(((trie.nodeFlags[node] ?? 0) & flag) === 0 ? [] : [name]),
    ...edgesOf(trie, node).flatMap((edge) => below(trie.edgeChild[edge] ?? 0, [labels[edge], name].filter(Boolean).join("."))),
  ];
  return [...below(trie.rulesRoot, ""), ...below(trie.exceptionsRoot, "").map((name) => `!${name}`)];
}

export function publicSuffixFile(icann: readonly string[], privateRules: readonly string[] = []): string {
  const section = (name: string, rules: readonly string[]) => [
    `// ===BEGIN ${name} DOMAINS===`,
    "",
    ...rules,
    `// ===END ${name} DOMAINS===`,
  ];
  return `${[...section("ICANN", icann), ...section("PRIVATE", privateRules)].join("\n")}\n`;
}

function edgesOf({ edgeStart }: Trie, node: number): readonly number[] {
  const [from = 0, to = 0] = [edgeStart[node], edgeStart[node + 1]];
  return Array.from({ length: to - from }, (_edge, at) => from + at);
}

function labelsOf({ edgeLength, labelText }: Trie): readonly string[] {
  let end = 0;
  return Array.from(edgeLength, (length) => {
    end += length;
    return labelText.slice(end - length, end);
  });
}
