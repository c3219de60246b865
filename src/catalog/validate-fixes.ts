/** Validates the fixes of a check, because plugins are not type-checked and lines are rendered long after the start. */
import type { CookieAttribute, Fix, FixedCookies } from "../check/fix.ts";
import type { AnyCheck } from "../check/registry.ts";
import type { DeclarationFault } from "./fault.ts";

const fixesMax = 20;

type Fields<F> = { readonly [P in Exclude<keyof F, "kind">]: (value: unknown) => boolean };
type FieldsByKind = { readonly [K in Fix["kind"]]: Fields<Extract<Fix, { readonly kind: K }>> };

const attributes: readonly CookieAttribute[] = ["Secure", "HttpOnly", "SameSite=Lax"];

const fieldsByKind: FieldsByKind = {
  header: { name: isText, value: isText, replaces: isBoolean, optional: isBoolean },
  "remove-header": { name: isText },
  policy: { directives: isText, present: isOneOf("none", "kept", "weak"), cures: isBoolean },
  "new-policy": { needed: isBoolean },
  cookie: { cookies: isCookies, attributes: (list) => Array.isArray(list) && list.every((word) => attributes.includes(word)) },
  certificate: { host: isText, also: isOneOf("listen", "name", null) },
  "https-redirect": { host: isText },
  "tls-protocols": {},
  "tls-ciphers": {},
  "tls-curves": {},
  charset: {},
  "server-version": {},
  "no-listing": {},
  "forwarded-scheme": {},
  "path-redirect": { from: isText, to: isText },
  "path-type": { path: isText, type: isText },
  "text-file": { path: isText, folder: isText },
};

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isOneOf(...words: readonly (string | null)[]): (value: unknown) => boolean {
  return (value) => words.some((word) => word === value);
}

function isCookies(value: unknown): boolean {
  const { names } = Object(value) as Partial<Exclude<FixedCookies, string>>;
  return value === "all" || value === "prefixed" || isText(names);
}

export function faultsOfFixes({ fixes = {}, findings }: Pick<AnyCheck, "fixes" | "findings">): readonly DeclarationFault[] {
  if (typeof fixes !== "object" || fixes === null) return [{ path: ["fixes"], reason: "fixes is not an object" }];
  return Object.entries<unknown>(fixes).flatMap(([code, list]) => {
    const reasons = Object.hasOwn(findings, code) ? faultsOfList(code, list) : [`fixes name "${code}", which the check does not declare`];
    return reasons.map((reason) => ({ path: ["fixes", code], reason }));
  });
}

function faultsOfList(code: string, list: unknown): readonly string[] {
  if (!Array.isArray(list) || list.length > fixesMax) return [`fixes of "${code}" are not a list of at most ${fixesMax}`];
  return list.flatMap((fix) => faultsOfFix(code, fix));
}

function faultsOfFix(code: string, fix: unknown): readonly string[] {
  const given = Object(fix) as Readonly<Record<string, unknown>>;
  const { kind } = given;
  if (typeof kind !== "string" || !Object.hasOwn(fieldsByKind, kind))
    return [`fixes of "${code}" contain ${JSON.stringify(fix)}; use the functions of assay/check`];
  const fields = Object.entries<(value: unknown) => boolean>(fieldsByKind[kind as Fix["kind"]]);
  return fields
    .filter(([field, isValid]) => !isValid(given[field]))
    .map(([field]) => `fixes of "${code}": ${field} of "${kind}" is ${JSON.stringify(given[field])}`);
}
