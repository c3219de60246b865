/** The landmarks: their servers, their expected states, and the files with their stored evidence. */
import { join } from "node:path";
import { landmarkKeys } from "../support/finished-scans.ts";
import { startBareSite, startOldSite, startPlainSite, startSilentSite } from "./bare-site.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { startShopSite } from "./shop-site.ts";
import { startSoundSite } from "./sound-site.ts";
import { notApplicable, notChecked, passed, violated } from "./states.ts";

// reads: test/support/landmarks/
export const landmarkNames = ["sound-site", "bare-site", "silent-site", "plain-site", "old-site", "shop-site"] as const;
export type LandmarkName = (typeof landmarkNames)[number];

/** A stored scan of a landmark. Its age does not matter, because the evidence includes the time of the scan. */
export type Landmark = Pick<FinishedScan, "evidence" | "result">;

export function landmarkFile(name: LandmarkName): string {
  return join(import.meta.dirname, "../support/landmarks", `${name}.json`);
}

/** Rows that do not pass for the sound site, and why. */
export const notPassedBySoundSite: Readonly<Record<string, string>> = {
  "tls-certificate-lifetime": "not applicable: its limits apply to public authorities, which do not certify a laboratory",
  "tls-certificate-transparency": "not applicable: private authorities do not use public logs",
};

/** Notes of the sound site, and why. */
export const notesOfSoundSite: Readonly<Record<string, string>> = {
  "third-party-scripts": "the integrity of a script can be judged only if another site serves one",
};

/** Rows that the bare site cannot violate because of its other violations, and the site that does. */
export const violatedElsewhere: Readonly<Record<string, Exclude<LandmarkName, "sound-site" | "bare-site" | "shop-site">>> = {
  // The bare site has a worthless policy and worthless records, which is not the same as none.
  "content-security-policy": "silent-site",
  "mail-dmarc": "silent-site",
  "mail-spf": "silent-site",
  "strict-transport-security": "silent-site",
  // An expired certificate does not expire soon.
  "tls-certificate-expiry": "silent-site",
  // Without https there is no TLS to judge; without modern TLS there is no page.
  "https-available": "plain-site",
  "tls-modern-protocol": "old-site",
};

/** Rows that no laboratory can violate: they apply to public authorities only. */
export const violatedNowhere = Object.keys(notPassedBySoundSite);

const startLandmark: Readonly<Record<LandmarkName, () => Promise<LabSite>>> = {
  "sound-site": startSoundSite,
  "bare-site": startBareSite,
  "silent-site": startSilentSite,
  "plain-site": startPlainSite,
  "old-site": startOldSite,
  "shop-site": startShopSite,
};

function expectedOf(name: LandmarkName): States {
  switch (name) {
    case "sound-site":
      return {
        ...passed(...landmarkKeys),
        ...notApplicable(...Object.keys(notPassedBySoundSite)),
        ...violated(...Object.keys(notesOfSoundSite)),
      };
    case "bare-site":
      return violated(...landmarkKeys.filter((key) => !(key in violatedElsewhere) && !violatedNowhere.includes(key)));
    case "shop-site":
      return {
        ...violated("tls-trust-chain", "csp-script-inline", "cors-configuration", "mixed-content", "cookie-secure"),
        ...notChecked("dns-caa", "mail-spf"),
      };
    default: {
      const keysOfSite = Object.keys(violatedElsewhere).filter((key) => violatedElsewhere[key] === name);
      // Without a page, the redirect to https cannot be judged.
      const unread: States = name === "old-site" ? notChecked("https-available", "strict-transport-security") : {};
      return { ...unread, ...violated(...keysOfSite) };
    }
  }
}

export const landmarkCases: readonly (LabCase & { readonly name: LandmarkName })[] = landmarkNames.map((name) => ({
  name,
  expected: expectedOf(name),
  serve: startLandmark[name],
  verify: ({ result: { score, band, findings } }) => {
    // Without the test API, because build/capture-evidence.ts loads this file too.
    const hasNewFinding = findings.some(({ checkKey }) => !landmarkKeys.includes(checkKey));
    if (name === "sound-site" && score !== 100 && !hasNewFinding) throw new Error(`the score of the sound site is ${score}`);
    if (name === "bare-site" && band !== "poor") throw new Error(`the band of the bare site is ${band}`);
  },
}));
