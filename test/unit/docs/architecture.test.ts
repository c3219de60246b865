/** docs/architecture.md names every folder of `src`, and functions that exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../support/source-tree.ts";

// reads: docs/architecture.md, src/
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

describe("docs/architecture.md", () => {
  test("names every folder of src", () => {
    const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !page.includes(`| \`src/${name}/\` |`))).toEqual([]);
  });

  test("walks through functions that exist", () => {
    const steps = [...page.matchAll(/^\| \d+ \| .* \| `(\w+)` \| `([\w./-]+)` \|$/gm)];
    expect(steps.length).toBeGreaterThan(15);
    const wrong = steps.filter(([, name = "", file = ""]) => {
      const path = join(root, file);
      return !existsSync(path) || !new RegExp(`^export (?:async )?function ${name}\\b`, "m").test(readFileSync(path, "utf8"));
    });
    expect(wrong.map(([, name, file]) => `${name} in ${file}`)).toEqual([]);
  });

  test("names files and folders that exist", () => {
    const paths = [...page.matchAll(/`((?:src|test|checks|locales|build)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
