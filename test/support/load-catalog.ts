/** Loads the catalog with the folder of the command line and prints the outcome as one line of JSON. */
import { CatalogError, loadCatalog } from "../../src/catalog/load.ts";

try {
  const { checks, version, texts, warnings } = await loadCatalog({ checksDir: process.argv[2] ?? null });
  const label = texts["en-gb"]["own-check"]?.label;
  process.stdout.write(JSON.stringify({ keys: checks.map(({ key }) => key), version, label, warnings }));
} catch (error) {
  if (!(error instanceof CatalogError)) throw error;
  process.stdout.write(JSON.stringify({ error: error.message }));
}
