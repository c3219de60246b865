/** Charges of the rows of DNS and mail: an improvement of the domain never lowers the score. */
import { expect, test } from "vitest";
import dnssec from "../../../checks/dnssec.ts";
import { builtInChecks } from "../../../checks/index.ts";
import mailDane from "../../../checks/mail-dane.ts";
import type { AnyCheck } from "../../../src/check/registry.ts";

/** The most that a check charges. */
function chargeMax({ weight, findings }: AnyCheck): number {
  return Math.max(...Object.values(findings).map((finding) => finding.weight ?? weight));
}

const { "security.dns.dnssec-missing": missing, ...broken } = dnssec.findings;

test("a missing signature charges more than DANE, which applies once the zone is signed", () => {
  expect(missing.weight).toBeGreaterThan(chargeMax(mailDane as unknown as AnyCheck));
});

test("broken signatures charge at least what the unreadable rows could charge", () => {
  const unreadable = builtInChecks.filter(({ key, area = "" }) => key !== dnssec.key && ["dns", "mail"].includes(area));
  const charges = unreadable.reduce((sum, check) => sum + chargeMax(check), 0);
  for (const { weight } of Object.values(broken)) expect(weight).toBeGreaterThanOrEqual(charges);
});
