/** Weaknesses of the CWE list that built-in findings name. */
import { expect, test } from "vitest";
import { builtInChecks } from "../../../checks/index.ts";
import type { FindingDefinition } from "../../../src/check/check.ts";

/** Numbers in use, with their names in version 4.18 of the list. Pillars and categories are left out, except 693. */
const names: Readonly<Record<number, string>> = {
  201: "Insertion of Sensitive Information Into Sent Data",
  290: "Authentication Bypass by Spoofing",
  295: "Improper Certificate Validation",
  297: "Improper Validation of Certificate with Host Mismatch",
  298: "Improper Validation of Certificate Expiration",
  319: "Cleartext Transmission of Sensitive Information",
  322: "Key Exchange without Entity Authentication",
  326: "Inadequate Encryption Strength",
  327: "Use of a Broken or Risky Cryptographic Algorithm",
  328: "Use of Weak Hash",
  331: "Insufficient Entropy",
  344: "Use of Invariant Value in Dynamically Changing Context",
  345: "Insufficient Verification of Data Authenticity",
  353: "Missing Support for Integrity Check",
  497: "Exposure of Sensitive System Information to an Unauthorized Control Sphere",
  523: "Unprotected Transport of Credentials",
  548: "Exposure of Information Through Directory Listing",
  565: "Reliance on Cookies without Validation and Integrity Checking",
  598: "Use of GET Request Method With Sensitive Query Strings",
  614: "Sensitive Cookie in HTTPS Session Without 'Secure' Attribute",
  653: "Improper Isolation or Compartmentalization",
  693: "Protection Mechanism Failure",
  778: "Insufficient Logging",
  829: "Inclusion of Functionality from Untrusted Control Sphere",
  838: "Inappropriate Encoding for Output Context",
  942: "Permissive Cross-domain Security Policy with Untrusted Domains",
  1004: "Sensitive Cookie Without 'HttpOnly' Flag",
  1021: "Improper Restriction of Rendered UI Layers or Frames",
  1275: "Sensitive Cookie with Improper SameSite Attribute",
  1395: "Dependency on Vulnerable Third-Party Component",
};

/** Checks, and single findings, for which the list has no weakness: advice on availability, upkeep and obsolete fields. */
const withoutWeakness = [
  "csp-own-violations",
  "security.content.integrity-policy-blocks",
  "deprecated-headers",
  "dns-name-servers",
  "ipv6",
  "security-txt",
  "security-txt-valid",
  "tls-certificate-expiry",
  "tls-certificate-lifetime",
  "x-xss-protection",
  "security.content.integrity-mismatch",
  "security.transport.plain-http-error",
  "security.transport.redirect-chain-too-long",
];

const definitions = builtInChecks.flatMap(({ key, findings }) =>
  Object.entries<FindingDefinition>(findings).map(([code, { cwe }]) => ({ key, code, cwe })),
);

test("every finding names a weakness, or is listed as one without", () => {
  const unnamed = definitions.filter(({ cwe }) => cwe === undefined);
  expect(unnamed.filter(({ key, code }) => !withoutWeakness.includes(key) && !withoutWeakness.includes(code))).toEqual([]);
  const named = definitions.filter(({ cwe }) => cwe !== undefined);
  expect(named.filter(({ key, code }) => withoutWeakness.includes(key) || withoutWeakness.includes(code))).toEqual([]);
});

test("the numbers in use are those of the table", () => {
  expect([...new Set(definitions.flatMap(({ cwe }) => cwe ?? []))].sort((one, other) => one - other)).toEqual(
    Object.keys(names).map(Number),
  );
});
