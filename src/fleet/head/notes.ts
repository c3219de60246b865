/** Notes of workers and of other heads, as they arrive: bounded, and checked against a schema. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { progressStages } from "../../evidence/scan.ts";
import { fleetProtocol, type HeadNote, type PresenceNote, type ProgressNote } from "../messages.ts";

/** Bytes of any note; a real one has 300. */
const noteBytesMax = 4_000;
const textCharsMax = 300;
/** Slots that one worker may state. */
const slotsMax = 256;

const count = Type.Integer({ minimum: 0 });
/** Without control characters. TypeBox compiles patterns without the flag that `\p` needs. */
const text = Type.String({ maxLength: textCharsMax, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" });

const presence = TypeCompiler.Compile(
  Type.Object({
    v: Type.Literal(fleetProtocol),
    version: Type.String({ maxLength: 64, pattern: "^[\\w.+-]+$" }),
    evidenceVersion: count,
    slots: Type.Integer({ minimum: 0, maximum: slotsMax }),
    busy: count,
    reach: Type.Union([Type.Literal("public"), Type.Literal("private")]),
    scansDone: count,
    lastFault: Type.Union([text, Type.Null()]),
  }),
);
const progress = TypeCompiler.Compile(
  Type.Object({
    v: Type.Literal(fleetProtocol),
    attempt: Type.Integer({ minimum: 1 }),
    stage: Type.Union([...progressStages.map((stage) => Type.Literal(stage)), Type.Null()]),
  }),
);
const head = TypeCompiler.Compile(
  Type.Object({
    v: Type.Literal(fleetProtocol),
    instance: Type.String({ maxLength: 64, pattern: "^\\w*$" }),
    process: Type.String({ maxLength: 64, pattern: "^[\\w-]+$" }),
  }),
);
const anyVersion = TypeCompiler.Compile(Type.Object({ v: count }));

/** Null for anything else than a note of this protocol. */
export const parsePresenceNote = (bytes: Uint8Array): PresenceNote | null => parsed(presence, bytes);
export const parseProgressNote = (bytes: Uint8Array): ProgressNote | null => parsed(progress, bytes) as ProgressNote | null;
export const parseHeadNote = (bytes: Uint8Array): HeadNote | null => parsed(head, bytes);

/** Version of the protocol of a note whose other fields may be unknown; null if it states none. */
export function protocolOf(bytes: Uint8Array): number | null {
  return parsed(anyVersion, bytes)?.v ?? null;
}

function parsed<T extends TSchema>(schema: TypeCheck<T>, bytes: Uint8Array): Static<T> | null {
  if (bytes.length > noteBytesMax) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return schema.Check(value) ? value : null;
  } catch {
    return null;
  }
}
