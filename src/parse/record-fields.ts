/** Parses the fields of MTA-STS and TLS reporting records: RFC 8461 section 3.1, RFC 8460 section 3. */
import { trimBlanks } from "./header-list.ts";

/** A name and a value. Fields are separated by semicolons; the last semicolon is optional. */
const fieldPattern = /^([a-z0-9][a-z0-9_.-]{0,31})=([\x21-\x3a\x3c-\x7e][\x20-\x3a\x3c-\x7e]*)$/i;

/** All values by field name, from the text after the version; null if malformed. */
export function parseRecordFields(text: string): ReadonlyMap<string, readonly string[]> | null {
  const fields = new Map<string, string[]>();
  const parts = text.split(";").map(trimBlanks);
  if (parts.at(-1) === "") parts.pop();
  for (const part of parts) {
    const [matched, name = "", value = ""] = fieldPattern.exec(part) ?? [];
    if (matched === undefined) return null;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
