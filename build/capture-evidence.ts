/** Scans the landmarks of the laboratory and stores their evidence, so that a test can replay it without a network. */

import { type Landmark, landmarkCases, landmarkFile } from "../test/lab/landmarks.ts";
// npm disables Bun's transpiler cache here: `bun test` cannot use what plain `bun` caches for imports of vitest.
import { openLaboratory } from "../test/lab/open-laboratory.ts";

const laboratory = openLaboratory();
await laboratory.ready();
try {
  for (const { name, serve } of landmarkCases) {
    const { evidence, result } = await laboratory.scan({ serve });
    const landmark: Landmark = { evidence, result };
    await Bun.write(landmarkFile(name), `${JSON.stringify(landmark, null, 2)}\n`);
    console.log(`${name}: ${result.score ?? "no score"} (${result.band}), ${result.findings.length} findings`);
  }
} finally {
  await laboratory.close();
}
