/** Code blocks of a document, for tests that follow it literally. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// reads: docs/
const root = resolve(import.meta.dirname, "../..");

/** The first line of a file's block is a comment with its path, which is not part of the text. */
interface DocumentBlock {
  readonly language: string;
  readonly text: string;
  readonly path: string | null;
}

/** Blocks of a section, in the order of the document. @throws Error if there is no section of that title with a block. */
export function blocksOf(document: string, section: string): readonly DocumentBlock[] {
  const sections = readFileSync(join(root, document), "utf8").split(/^## /m);
  const blocks = sections
    .filter((text) => text.startsWith(`${section}\n`))
    .flatMap((text) => [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)])
    .map(([, language = "", text = ""]) => {
      const [, path = null] = /^\/\/ ([^\s:]+)/.exec(text) ?? [];
      return { language, path, text: path === null ? text : text.slice(text.indexOf("\n") + 1) };
    });
  if (blocks.length === 0) throw new Error(`${document} has no section "${section}" with a block`);
  return blocks;
}
