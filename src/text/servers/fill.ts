/** Fills the placeholders of fixes with values of a finding. Sites write those values, so what no configuration should hold is refused. */
import type { Fix, FixedCookies } from "../../check/fix.ts";
import { findingValueCharsMax } from "../../evidence/limits.ts";
import type { TextValues } from "../i18n.ts";

/** A policy of a large site has 3,000. */
const headerValueCharsMax = 4_096;
const cookieNamesMax = 10;
/** Stands for the name of a cookie that no configuration should hold. */
const exampleCookie = "sid";

const headerName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** Visible ASCII and blanks between, as RFC 9110 section 5.5 recommends. */
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const hostName = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]{2,45}\])$/;
const path = /^\/[A-Za-z0-9._/-]{0,255}$/;
const cookieName = /^(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,64}$/;

/** Null if a value is missing, or if one could change the meaning of a configuration. */
export function filledFixes(fixes: readonly Fix[], values: TextValues): readonly Fix[] | null {
  const filled = fixes.map((fix) => filledFix(fix, (text) => filledText(text, values)));
  return filled.every((fix) => fix !== null) ? filled : null;
}

/** Null without a value for a placeholder. */
function filledText(text: string, values: TextValues): string | null {
  const names = [...text.matchAll(placeholder)].map(([, name = ""]) => name);
  if (!names.every((name) => Object.hasOwn(values, name))) return null;
  return text.replaceAll(placeholder, (_all, name: string) => String(values[name]));
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

type Fill = (text: string) => string | null;

function filledFix(fix: Fix, fill: Fill): Fix | null {
  const checked = (text: string, pattern: RegExp) => {
    const filled = fill(text);
    return filled !== null && filled.length <= headerValueCharsMax && pattern.test(filled) ? filled : null;
  };
  switch (fix.kind) {
    case "header": {
      const [name, value] = [checked(fix.name, headerName), checked(fix.value, headerValue)];
      return name === null || value === null ? null : { ...fix, name, value };
    }
    case "remove-header": {
      const name = checked(fix.name, headerName);
      return name === null ? null : { ...fix, name };
    }
    case "policy": {
      const directives = checked(fix.directives, headerValue);
      return directives === null ? null : { ...fix, directives };
    }
    case "cookie":
      return { ...fix, cookies: filledCookies(fix.cookies, fill) };
    case "certificate":
    case "https-redirect": {
      const host = checked(fix.host, hostName);
      return host === null ? null : { ...fix, host };
    }
    case "path-redirect": {
      const [from, to] = [checked(fix.from, path), checked(fix.to, path)];
      return from === null || to === null ? null : { ...fix, from, to };
    }
    case "path-type": {
      const [at, type] = [checked(fix.path, path), checked(fix.type, headerValue)];
      return at === null || type === null ? null : { ...fix, path: at, type };
    }
    case "text-file": {
      const [at, folder] = [checked(fix.path, path), checked(fix.folder, path)];
      return at === null || folder === null ? null : { ...fix, path: at, folder };
    }
    default:
      return fix;
  }
}

/** Harmless names, joined by commas without blanks; an example if none is. */
function filledCookies(cookies: FixedCookies, fill: Fill): FixedCookies {
  if (typeof cookies === "string") return cookies;
  const { usable } = cookieNames(cookies.names, fill);
  return { names: usable.length === 0 ? exampleCookie : usable.join(",") };
}

/** False if lines can name an example or some of the cookies only: a name is unsafe, has a remark, or was cut off. */
export function namesAllCookies(fixes: readonly Fix[], values: TextValues): boolean {
  return fixes.every(
    (fix) =>
      fix.kind !== "cookie" ||
      typeof fix.cookies === "string" ||
      cookieNames(fix.cookies.names, (text) => filledText(text, values)).isComplete,
  );
}

function cookieNames(text: string, fill: Fill): { readonly usable: readonly string[]; readonly isComplete: boolean } {
  const filled = fill(text) ?? "";
  const names = [...new Set(filled.split(",").map((name) => name.trim()))];
  // A value of the greatest length may end within a name.
  const whole = filled.length >= findingValueCharsMax ? names.slice(0, -1) : names;
  const usable = whole.filter((name) => cookieName.test(name)).slice(0, cookieNamesMax);
  return { usable, isComplete: usable.length === names.length };
}
