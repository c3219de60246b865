/** Folders as `assay checks new` writes them, with edits of their files. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaffoldPlugin } from "../../src/authoring/scaffold-plugin.ts";
import { evidence } from "./evidence.ts";

const pluginKey = "acme-build";
export const pluginCode = "security.missing-header.acme-build";

export interface ScaffoldedPlugin {
  readonly folder: string;
  /** Replaces text of a file. @throws Error if the file lacks it. */
  edit(name: string, from: string | RegExp, to: string): void;
}

const places: string[] = [];

/** Writes a plugin into a new folder of its own, `acme-build/`. The texts are written unless `withTexts` is false. */
export function scaffoldedPlugin({ withTexts = true }: { readonly withTexts?: boolean } = {}): ScaffoldedPlugin {
  const place = mkdtempSync(join(tmpdir(), "assay-plugin-test-"));
  places.push(place);
  const folder = join(place, pluginKey);
  mkdirSync(folder);
  for (const { name, text } of scaffoldPlugin({ key: pluginKey, header: "X-Acme-Build" }, evidence()))
    writeFileSync(join(folder, name), withTexts ? text.replaceAll("Fill in: ", "") : text, { mode: 0o644 });
  return {
    folder,
    edit: (name, from, to) => {
      const before = readFileSync(join(folder, name), "utf8");
      const after = before.replace(from, () => to);
      if (after === before) throw new Error(`${name} has no ${from}`);
      writeFileSync(join(folder, name), after);
    },
  };
}

export function removeScaffoldedPlugins(): void {
  for (const place of places) rmSync(place, { recursive: true, force: true });
}
