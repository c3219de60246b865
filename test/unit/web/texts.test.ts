/** Every text of the pages is said by some page: by its path, or by a path that is put together. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };

const folder = resolve(import.meta.dirname, "../../../src/web");
const code = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(folder, path), "utf8"))
  .join("\n");

/** Paths written out ... */
const written = new Set([...code.matchAll(/"(\w+(?:\.[\w-]+)+)"/g)].map(([, path = ""]) => path));
/** ... and with words of the program in them, each of which stands for one step. */
const composed = [...code.matchAll(/`(\w+\.(?:[\w.-]*\$\{[^}]*\}[\w.-]*)+)`/g)].map(
  ([, template = ""]) => new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\$\{[^}]*\}/g, "[^.]+")}$`),
);
/** Asked for by the names of a check's values; a check beside the binary may have others. */
const byValue = /^check\.samples\./;

function pathsOf(texts: object, above = ""): readonly string[] {
  if ("one" in texts && "other" in texts) return [above];
  return Object.entries(texts).flatMap(([name, part]) => {
    const path = above === "" ? name : `${above}.${name}`;
    return typeof part === "string" ? [path] : pathsOf(part, path);
  });
}

test("no text waits for a page that says it", () => {
  const unsaid = pathsOf(enGb.pages).filter(
    (path) => !written.has(path) && !byValue.test(path) && !composed.some((pattern) => pattern.test(path)),
  );
  expect(unsaid).toEqual([]);
});
