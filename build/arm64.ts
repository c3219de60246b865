/** Bun and the native packages for linux-arm64, which npm does not install on linux-x64. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockedPackage } from "./bundled.ts";
import type { CrossTarget } from "./program.ts";
import { output } from "./staged-files.ts";

const runtime = "@oven/bun-linux-aarch64";
const natives = ["@lmdb/lmdb-linux-arm64", "@msgpackr-extract/msgpackr-extract-linux-arm64"];

/** Fetches the packages into the folder, in the versions of package-lock.json. @throws Error if a package differs from the lock file */
export async function fetchArm64(folder: string): Promise<CrossTarget> {
  const packages = join(folder, "node_modules");
  for (const name of [runtime, ...natives]) {
    const { version, sha512 } = lockedPackage(`node_modules/${name}`);
    const home = join(packages, name);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    const listed = await output("npm", ["pack", `${name}@${version}`, "--json", "--loglevel=error", "--pack-destination", home]);
    const [{ filename }] = JSON.parse(Buffer.from(listed).toString()) as [{ readonly filename: string }];
    const archive = join(home, filename);
    if (createHash("sha512").update(readFileSync(archive)).digest("hex") !== sha512)
      throw new Error(`${name} ${version} differs from its hash in package-lock.json`);
    await output("tar", ["--extract", "--gzip", "--strip-components=1", "--file", archive, "--directory", home]);
  }
  return { cpu: "arm64", packages, runtime: join(packages, runtime, "bin/bun") };
}
