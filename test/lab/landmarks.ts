/** The landmarks by name, what is expected of each, and the files that keep what was seen of it. */
import { join } from "node:path";
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { startBareSite, startOldSite, startPlainSite, startSilentSite } from "./bare-site.ts";
import type { FinishedScan, LabCase, LabSite, States } from "./laboratory.ts";
import { startSoundSite } from "./sound-site.ts";
import { notApplicable, notChecked, passed, violated } from "./states.ts";

export const landmarkNames = ["sound-site", "bare-site", "silent-site", "plain-site", "old-site"] as const;
export type LandmarkName = (typeof landmarkNames)[number];

/** A scan of a landmark as it is kept: replaying it ages nothing, since the time of the scan is part of the evidence. */
export type Landmark = Pick<FinishedScan, "evidence" | "result">;

export function landmarkFile(name: LandmarkName): string {
  return join(import.meta.dirname, "../support/landmarks", `${name}.json`);
}

/** Rows of the sound site that are not passed, and why no laboratory can give them. */
export const notPassedBySoundSite: Readonly<Record<string, string>> = {
  "tls-certificate-lifetime": "not applicable: its limits bind public authorities, and none of them certifies a laboratory",
  "tls-certificate-transparency": "not applicable: a private authority has no business in public logs",
};

/** Rows that the bare site cannot violate because of what it violates instead, and the site that shows them. */
export const violatedElsewhere: Readonly<Record<string, Exclude<LandmarkName, "sound-site" | "bare-site">>> = {
  // A policy that is there but worthless has faults of its own, and so has a record.
  "content-security-policy": "silent-site",
  "mail-dmarc": "silent-site",
  "mail-spf": "silent-site",
  "strict-transport-security": "silent-site",
  // What has run out does not run out soon.
  "tls-certificate-expiry": "silent-site",
  // Without https there is no TLS to judge, and without modern TLS no page.
  "https-available": "plain-site",
  "tls-modern-protocol": "old-site",
};

/** Rows that no site of a laboratory can violate: they speak of public authorities alone. */
export const violatedNowhere = Object.keys(notPassedBySoundSite);

const startLandmark: Readonly<Record<LandmarkName, () => Promise<LabSite>>> = {
  "sound-site": startSoundSite,
  "bare-site": startBareSite,
  "silent-site": startSilentSite,
  "plain-site": startPlainSite,
  "old-site": startOldSite,
};

const keys = Object.keys(enGb.checks);

function expectedOf(name: LandmarkName): States {
  switch (name) {
    case "sound-site":
      return { ...passed(...keys), ...notApplicable(...Object.keys(notPassedBySoundSite)) };
    case "bare-site":
      return violated(...keys.filter((key) => !(key in violatedElsewhere) && !violatedNowhere.includes(key)));
    default: {
      const shown = Object.keys(violatedElsewhere).filter((key) => violatedElsewhere[key] === name);
      // Whether the site would have gone over to https is not known where a browser does not get in.
      const unread: States = name === "old-site" ? notChecked("https-available", "strict-transport-security") : {};
      return { ...unread, ...violated(...shown) };
    }
  }
}

export const landmarkCases: readonly (LabCase & { readonly name: LandmarkName })[] = landmarkNames.map((name) => ({
  name,
  expected: expectedOf(name),
  serve: startLandmark[name],
  also: ({ result: { score, band } }) => {
    // Not by the means of tests: this file is also loaded by a program that is none.
    if (name === "sound-site" && score !== 100) throw new Error(`the sound site scores ${score}`);
    if (name === "bare-site" && band !== "poor") throw new Error(`the bare site is ${band}`);
  },
}));
