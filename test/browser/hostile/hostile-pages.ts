/** All hostile pages, and the choice of one run. */
import { documentPages } from "./document-pages.ts";
import { memoryPages } from "./memory-pages.ts";
import { networkPages } from "./network-pages.ts";
import type { HostilePage } from "./page.ts";
import { processPages } from "./process-pages.ts";
import { proofPages } from "./proof-pages.ts";

export const hostilePages: readonly HostilePage[] = [...documentPages, ...memoryPages, ...processPages, ...networkPages, ...proofPages];

/** The short run by default; `all`, `proofs`, or names separated by commas, by HOSTILE_PAGES. @throws Error for an unknown name. */
export function chosenPages(choice: string | undefined): readonly HostilePage[] {
  if (choice === undefined) return hostilePages.filter(({ inShortRun }) => inShortRun);
  if (choice === "all") return hostilePages;
  if (choice === "proofs") return proofPages;
  return choice.split(",").map((name) => {
    const page = hostilePages.find((each) => each.name === name);
    if (page === undefined) throw new Error(`HOSTILE_PAGES names ${name}, which is not a hostile page`);
    return page;
  });
}
