/** Takes the bytes of a small file out of an answer. */
import { EgressError } from "../../egress/egress-error.ts";
import type { HttpReply } from "../../egress/http-client.ts";

/**
 * Empty unless the file was handed out. @throws EgressError `invalid` when it came packed, which was not asked for: what is in
 * it was not read, so nobody can say that it is wrong.
 */
export function fileBytes({ status, body, field }: HttpReply): Uint8Array {
  if (status !== 200) return new Uint8Array();
  const packing = field("content-encoding")?.trim() ?? "";
  if (packing !== "" && packing.toLowerCase() !== "identity") throw new EgressError("invalid", "a file that came packed");
  return body;
}
