/** Lifetimes of API tokens to choose from. */
import { dayMs } from "../base/units.ts";

export const tokenLifetimes = ["30d", "90d", "365d", "never"] as const;
export type TokenLifetime = (typeof tokenLifetimes)[number];

/** Null: never expires. */
export function tokenExpiry(lifetime: TokenLifetime, now: Date): Date | null {
  return lifetime === "never" ? null : new Date(now.getTime() + Number.parseInt(lifetime, 10) * dayMs);
}
