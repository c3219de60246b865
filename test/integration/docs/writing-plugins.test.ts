/** Follows docs/writing-checks.md literally, for a plugin. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { workerFiles } from "../../../src/app/placement.ts";
import { loadCatalog } from "../../../src/catalog/load.ts";
import { blocksOf } from "../../support/document-blocks.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-writing-plugins-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the plugin of the guide joins the catalog, and is one file", async () => {
  const plugin = blocksOf("docs/writing-checks.md", "A plugin in fifteen minutes").find(({ path }) => path === "acme-team.ts");
  writeFileSync(join(folder, "acme-team.ts"), plugin?.text ?? "", { mode: 0o600 });
  const { checks } = await loadCatalog({ checksDir: folder, unknownKeys: "refuse", workerFile: workerFiles.catalog });
  expect(checks.map(({ key }) => key)).toContain("acme-team");
});
