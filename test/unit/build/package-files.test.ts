/** The documents of the packages: each link leads to a file, and a heading, of the same package. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { installedFiles } from "../../../build/deb.ts";
import { archiveFiles } from "../../../build/package-files.ts";
import type { StagedFile } from "../../../build/staged-files.ts";
import { root } from "../../support/source-tree.ts";

/** The program is not compiled for this: any file stands at its path. */
const made = { program: join(root, "LICENSE"), notices: "", sbom: "{}" };
const packages: readonly (readonly [string, readonly StagedFile[]])[] = [
  ["archive", archiveFiles(made)],
  ["Debian package", installedFiles({ ...made, version: "1.2.3", settings: "", epochS: 0 })],
];

interface StagedDocument {
  readonly path: string;
  readonly text: string;
}

function documentsOf(files: readonly StagedFile[]): readonly StagedDocument[] {
  return files
    .filter(({ path }) => /\.md(\.gz)?$/.test(path))
    .map((file) => {
      const bytes = "from" in file ? readFileSync(file.from) : Buffer.from(file.content);
      return { path: file.path, text: Buffer.from(file.path.endsWith(".gz") ? Bun.gunzipSync(bytes) : bytes).toString() };
    });
}

/** Targets of inline links and pictures, outside of code. */
function linksOf({ text }: StagedDocument): readonly string[] {
  const prose = text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** Fragments of the headings, as GitHub makes them. */
function fragmentsOf({ text }: StagedDocument): readonly string[] {
  return [...text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(packages)("%s", (_name, files) => {
  const documents = documentsOf(files);
  const pathOf = ({ path }: StagedDocument, target: string) => (target === "" ? path : join(dirname(path), target));

  test("has documents with links", () => {
    expect(documents.map(({ path }) => path.split("/").at(-1))).toEqual(expect.arrayContaining(["operate.md", "sites.md"]));
    expect(documents.flatMap(linksOf).length).toBeGreaterThan(20);
  });

  test("has the target of each relative link of its documents", () => {
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [target = "", fragment] = link.split("#");
          const path = pathOf(document, target);
          const linked = documents.find((each) => each.path === path);
          const hasFragment = fragment === undefined || (linked !== undefined && fragmentsOf(linked).includes(fragment));
          return !files.some((file) => file.path === path) || !hasFragment;
        })
        .map((link) => `${document.path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
