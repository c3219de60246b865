/** Schema of a reading: facts, or the reason why there are none. */
import { type TSchema, Type } from "@sinclair/typebox";
import type { ProbeFailure } from "../../evidence/evidence.ts";
import { fields, literalOf, schemaFor } from "./fields.ts";

export const probeFailure = schemaFor<ProbeFailure>()(
  literalOf(
    "timeout",
    "refused",
    "unresolved",
    "unreachable",
    "blocked",
    "tls",
    "tls-incompatible",
    "invalid",
    "redirects",
    "server-error",
    "challenged",
    "client-error",
    "sign-in-required",
    "too-large",
    "unsupported",
    "crashed",
    "not-asked",
  ),
);

export const failedReading = fields({ status: Type.Literal("failed"), because: probeFailure });

export const readingOf = <S extends TSchema>(facts: S) => Type.Union([fields({ status: Type.Literal("read"), facts }), failedReading]);
