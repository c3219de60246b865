/** curl commands for a shell with `BASE` and `TOKEN` set. */
import type { Parameter, Schema } from "./api-document.ts";

interface CurlOptions {
  /** JSON without single quotes. */
  readonly body?: string | null;
  /** Media type of a file that is sent in place of JSON. */
  readonly file?: string | null;
  /** Parameters of the request, with the values that they may have. */
  readonly parameters?: readonly Parameter[];
}

/** The token of a scan becomes a shell variable. Another path parameter has its first value, or its example. */
export function curlOf(method: string, path: string, { body = null, file = null, parameters = [] }: CurlOptions = {}): string {
  const firstValueOf = (name: string) => {
    const { enum: values = [], examples = [] } = parameters.find((each) => each.name === name)?.schema ?? {};
    return [...values, ...examples][0];
  };
  const address = path
    .replaceAll("{token}", "$SCAN")
    .replaceAll(/\{(\w+)\}/g, (placeholder, name) => encodedOf(firstValueOf(name)) ?? placeholder);
  const methodOfCurl = body === null && file === null ? "GET" : "POST";
  const lines = [`curl ${method === methodOfCurl ? "" : `-X ${method} `}"$BASE${address}"`, '-H "Authorization: Bearer $TOKEN"'];
  if (body !== null) lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  if (file !== null) lines.push(`-H "Content-Type: ${file}"`, `--data-binary @file.${file.split("/")[1]}`);
  return lines.join(" \\\n  ");
}

/** Example body from the examples of its fields. */
export function exampleBodyOf({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).flatMap(([name, { examples = [] }]) => (examples.length > 0 ? [[name, examples[0]]] : []));
  return JSON.stringify(Object.fromEntries(fields));
}

/** Part of a path; undefined for no value. */
function encodedOf(value: unknown): string | undefined {
  return value === undefined ? undefined : encodeURIComponent(String(value));
}
