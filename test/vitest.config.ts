/** Settings of `npm run test:vitest`: the unit tests, which import the API of vitest, run by vitest itself instead of `bun test`. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { tsconfigPaths: true },
  // Files of the embedded browser and of the preload list, imported for their paths.
  assetsInclude: ["**/*.br", "**/*.gz"],
  test: { include: ["test/unit/**/*.test.{ts,tsx}"], testTimeout: 120_000 },
});
