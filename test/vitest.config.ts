/** Settings of `npm run test:vitest`: the unit tests, which import the API of vitest, run by vitest itself instead of `bun test`. */
import { defineConfig } from "vitest/config";

/** Documents are imported as text, as Bun does with the attribute `type: "text"`. */
const documentsAsText = {
  name: "documents-as-text",
  transform: (text: string, file: string) => (file.endsWith(".md") ? `export default ${JSON.stringify(text)};` : null),
};

export default defineConfig({
  plugins: [documentsAsText],
  resolve: { tsconfigPaths: true },
  // Embedded files, imported for their paths.
  assetsInclude: ["**/*.br", "**/*.gz", "**/*.ico", "**/*.png", "**/*.ttf", "**/*.wasm"],
  test: { include: ["test/unit/**/*.test.{ts,tsx}"], testTimeout: 120_000 },
});
