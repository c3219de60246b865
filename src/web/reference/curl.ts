/** Requests as lines for a shell, in which `BASE` and `TOKEN` are set. */
import type { Schema } from "./api-document.ts";

/** `body` is JSON without single quotes; parameters of the path become shell variables. */
export function curlOf(method: string, path: string, { body = null }: { readonly body?: string | null } = {}): string {
  const address = path.replaceAll("{token}", "$SCAN");
  const lines = [`curl ${method === "GET" || body !== null ? "" : `-X ${method} `}"$BASE${address}"`, '-H "Authorization: Bearer $TOKEN"'];
  if (body !== null) lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  return lines.join(" \\\n  ");
}

/** A body of the examples that its fields have. */
export function exampleBodyOf({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).flatMap(([name, { examples = [] }]) => (examples.length > 0 ? [[name, examples[0]]] : []));
  return JSON.stringify(Object.fromEntries(fields));
}
