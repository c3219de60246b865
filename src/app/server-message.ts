/** Messages that a server sends with an error. */

const messageCharsMax = 300;

/** The field errors of an error body, else its message; null if the body is none of the API. Not yet free of control characters. */
export function messageIn(body: Uint8Array): string | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
  const { errorMessage, fieldErrors } = Object(value) as { readonly errorMessage?: unknown; readonly fieldErrors?: unknown };
  if (typeof errorMessage !== "string") return null;
  const ofFields = Object.entries(Object(fieldErrors) as Readonly<Record<string, unknown>>).flatMap(([field, faults]) =>
    Array.isArray(faults) ? faults.map((fault) => `${field} ${String(fault)}`) : [],
  );
  const message = ofFields.length > 0 ? ofFields.join("; ") : errorMessage;
  return message.slice(0, messageCharsMax).replace(/\.$/, "");
}
