/** curl commands for a shell with `BASE` and `TOKEN` set. */
import type { Schema } from "./api-document.ts";

/** `body`: JSON without single quotes. Path parameters become shell variables. */
export function curlOf(method: string, path: string, { body = null }: { readonly body?: string | null } = {}): string {
  const address = path.replaceAll("{token}", "$SCAN");
  const lines = [`curl ${method === "GET" || body !== null ? "" : `-X ${method} `}"$BASE${address}"`, '-H "Authorization: Bearer $TOKEN"'];
  if (body !== null) lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  return lines.join(" \\\n  ");
}

/** Example body from the examples of its fields. */
export function exampleBodyOf({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).flatMap(([name, { examples = [] }]) => (examples.length > 0 ? [[name, examples[0]]] : []));
  return JSON.stringify(Object.fromEntries(fields));
}
