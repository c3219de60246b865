/** A host with several addresses, changed rules and scans without a score. */
import { standing } from "../../../src/judge/result.ts";
import type { Store } from "../../../src/store/store.ts";
import { type SiteName, storeSite } from "../../support/finished-scans.ts";

const host = "history.example";
const addresses = [
  `https://${host}/`,
  `https://${host}/shop/cart?step=2`,
  `https://${host}/blog/${"long-title-of-an-article-".repeat(6)}.html`,
  `http://${host}:8080/`,
];
/** Site for each scan, oldest first. */
const course: readonly SiteName[] = ["silent", "silent", "bare", "plain", "old", "silent", "sound", "sound"];

/** Stores the scans of all addresses over three months. */
export async function storeHistory(store: Store, ago: (days: number) => Date): Promise<void> {
  for (const [at, name] of course.entries())
    for (const [nth, url] of addresses.entries()) {
      const score = Math.max(4, 96 - 14 * nth - 7 * ((course.length - at) % 4));
      const judged = name === "old" ? {} : { score, ...standing(score) };
      const result = { ...judged, ...(at < 3 ? { catalogVersion: "older" } : {}) };
      await storeSite(store, name, { at: ago(95 - 11 * at - nth), url, result });
    }
}
