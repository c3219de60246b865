/** Settings of what is kept, and for how long. */
import { Type } from "@sinclair/typebox";
import { screenshotsKeptDefault } from "../store/store.ts";
import { optional, setting } from "./setting.ts";

const daysMax = 36_500;

export const settingsOfRetention = {
  "retention.evidence_days": setting(Type.Integer({ minimum: 1, maximum: daysMax }), {
    doc: "Days after which evidence and screenshot of a scan are removed. Its score, checks and findings stay.",
    allowed: `a whole number from 1 to ${daysMax}`,
    fallback: () => 90,
  }),
  "retention.scans_per_host": setting(optional(Type.Integer({ minimum: 1, maximum: 10_000 })), {
    doc: "Newest scans of each host and location that keep evidence and screenshot, within retention.evidence_days.",
    allowed: "a whole number from 1 to 10000",
    fallback: () => null,
    defaultDoc: "all",
  }),
  "retention.screenshots": setting(Type.Integer({ minimum: 0, maximum: 1_000_000 }), {
    doc: "Newest scans that keep their screenshot, at most 400 KB each; 0 keeps none.",
    allowed: "a whole number from 0 to 1000000",
    fallback: () => screenshotsKeptDefault,
  }),
  "audit.days": setting(Type.Integer({ minimum: 1, maximum: daysMax }), {
    doc: "Days after which entries of the audit log are removed; the newest 200,000 are kept at most.",
    allowed: `a whole number from 1 to ${daysMax}`,
    fallback: () => 400,
  }),
} as const;
