/** Settings of `npm run test:vitest`: the unit tests, which import the API of vitest, run by vitest itself instead of `bun test`. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { tsconfigPaths: true },
  // Embedded files, imported for their paths.
  assetsInclude: ["**/*.br", "**/*.gz", "**/*.ico", "**/*.png", "**/*.ttf", "**/*.wasm"],
  test: { include: ["test/unit/**/*.test.{ts,tsx}"], testTimeout: 120_000 },
});
