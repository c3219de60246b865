/** Reads the fields of MTA-STS and TLS reporting records, which share one form: RFC 8461 section 3.1, RFC 8460 section 3. */
import { trimBlanks } from "./header-list.ts";

/** A name and its value, one or several, between semicolons; the last semicolon may be left out. */
const fieldForm = /^([a-z0-9][a-z0-9_.-]{0,31})=([\x21-\x3a\x3c-\x7e][\x20-\x3a\x3c-\x7e]*)$/i;

/** What stands behind the version of a record: fields by name with all of their values, or null when it is not of that form. */
export function parseRecordFields(text: string): ReadonlyMap<string, readonly string[]> | null {
  const fields = new Map<string, string[]>();
  const parts = text.split(";").map(trimBlanks);
  if (parts.at(-1) === "") parts.pop();
  for (const part of parts) {
    const [matched, name = "", value = ""] = fieldForm.exec(part) ?? [];
    if (matched === undefined) return null;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
