/** Settings of what is kept, and for how long. */
import { Type } from "@sinclair/typebox";
import { setting } from "./setting.ts";

const daysMax = 36_500;

export const settingsOfRetention = {
  "audit.days": setting(Type.Integer({ minimum: 1, maximum: daysMax }), {
    doc: "Days after which entries of the audit log are removed; the newest 200,000 are kept at most.",
    allowed: `a whole number from 1 to ${daysMax}`,
    fallback: () => 400,
  }),
} as const;
