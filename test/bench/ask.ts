/** Lets another process ask one server the same thing over and over. */
import { startChild } from "./child.ts";
import type { LoadGiven, LoadSaid } from "./load.ts";

export async function load(given: LoadGiven): Promise<LoadSaid> {
  const child = await startChild<LoadSaid>("load.ts", given);
  await child.stop();
  return child.said;
}
