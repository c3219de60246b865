/** Policies that proofs begin with: today's policy of a page, and the policy of an earlier proof. */
import { valuesNamed } from "../../parse/header-fields.ts";
import { localLocation } from "../../parse/location.ts";
import { hostOf } from "../../parse/site.ts";
import { policyField } from "../../prove/plan.ts";
import type { Store } from "../../store/store.ts";

/** Latest scans of the host that are searched for the page. */
const scansReadMax = 20;

export function policyIn(headers: readonly { readonly name: string; readonly value: string | null }[]): string | null {
  return headers.find(({ name }) => name.toLowerCase() === policyField)?.value ?? null;
}

/** Policies that the page sends, also those that only report; null without one, and for one that a scan did not read whole. */
export function todaysPolicy({ publicScans, evidence }: Pick<Store, "publicScans" | "evidence">, url: string): string | null {
  const host = hostOf(url) ?? "";
  const { items } = publicScans.list({ host, exactly: true, location: localLocation, limit: scansReadMax, cursor: null });
  const scan = items.find((one) => one.url === url);
  const page = scan === undefined ? undefined : evidence.find(scan.token)?.evidence.page;
  if (page?.status !== "read") return null;
  const { headers } = page.facts;
  if (headers.some(({ name, truncated }) => truncated && name.toLowerCase().startsWith(policyField))) return null;
  const enforced = valuesNamed(headers, policyField);
  const values = enforced.length > 0 ? enforced : valuesNamed(headers, `${policyField}-report-only`);
  return values.length === 0 ? null : values.join(", ");
}
