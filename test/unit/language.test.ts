/** Comments follow the language rules of CONTRIBUTING.md: short sentences and standard terms. */
import { describe, expect, test } from "vitest";
import { commentsOf, type SourceFile, sentencesOf, sourcesBelow } from "../support/source-tree.ts";

// reads: build/, checks/, src/, test/
const sentenceWordsMax = 25;

/** Metaphors and private words, each with a standard term to use in its place. */
const privateWords: Readonly<Record<string, string>> = {
  "doors?": "entry point, API or interface",
  "rooms?": "folder or module",
  fences: "boundary",
  "way out": "egress",
  "in hand": "running",
  nobody: "no caller, no account",
  whoever: "the caller, the user",
  "wish(?:es)?": "request",
  manners: "conventions",
  foreign: "cross-site, external, of another account",
  "strangers?": "untrusted peer, other user",
  "told|tells?": "reports, returns, describes",
  "waiting line": "queue or semaphore",
  youngest: "most recently used",
};

/**
 * Sentences without a subject, and pronouns in place of a noun: a reader has to search for what they stand for.
 * A sentence that begins with such a preposition has a subject only after a comma.
 */
const pronounDialect =
  /^(Of|For that|Null for what|Since when|To be)\b|^(Behind|Beside|Between|From|Since|Through|To|With)\b(?!.*,)|\b(that of|those of|is none|anew)\b/;

const files = ["src", "checks", "test", "build"]
  .flatMap((folder) => sourcesBelow(folder))
  .filter(({ path }) => path !== "test/unit/language.test.ts");

function sentencesIn({ path, text }: SourceFile) {
  return commentsOf(text).flatMap(({ line, text }) => sentencesOf(text).map((sentence) => ({ place: `${path}:${line}`, ...sentence })));
}

const sentences = files.flatMap(sentencesIn);

/** Sentences that match, without their code, each with its place. */
function matching(pattern: RegExp): readonly string[] {
  const found = sentences.filter(({ sentence }) => pattern.test(sentence.replaceAll(/`[^`]*`/g, "")));
  return found.map(({ place, sentence }) => `${place}: ${sentence}`);
}

describe("comments", () => {
  test("have sentences of at most 25 words", () => {
    const long = sentences.filter(({ words }) => words > sentenceWordsMax);
    expect(long.map(({ place, words, sentence }) => `${place}: ${words} words: ${sentence}`)).toEqual([]);
  });

  test("use the terms of the field", () => {
    expect(matching(new RegExp(`\\b(?:${Object.keys(privateWords).join("|")})\\b`, "i"))).toEqual([]);
  });

  test("name their subject", () => {
    expect(matching(pronounDialect)).toEqual([]);
  });

  test("are found whole by the reader of comments", () => {
    const source = [
      "/** One. Two: three. */",
      "const a = 1; // four",
      "// five",
      "// six",
      "/**",
      " * Seven",
      " * eight.",
      " * @throws Nine",
      " */",
    ];
    expect(commentsOf(source.join("\n")).map(({ text }) => text)).toEqual([
      "One. Two: three.",
      "four",
      "five six",
      "Seven eight.",
      "@throws Nine",
    ]);
    expect(sentencesOf("One. Two: three.").map(({ words }) => words)).toEqual([1, 1, 1]);
  });
});
