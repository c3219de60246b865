/** Upper bound of the framework for a page: one route that only returns the given bytes. */
import { Elysia } from "elysia";
import { childInput, sendReady } from "./child.ts";

export interface BarePageInput {
  /** Compressed as on the wire, in base64. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const { body, headers } = childInput<BarePageInput>();
const bytes = Buffer.from(body, "base64");
const app = new Elysia().get("/*", () => new Response(bytes, { headers })).listen({ port: 0, hostname: "127.0.0.1" });
sendReady({ port: app.server?.port });
