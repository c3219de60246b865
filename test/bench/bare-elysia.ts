/** Upper bound of the framework for the API: routes that only return the given bytes. */
import { Elysia } from "elysia";
import { childInput, sendReady } from "./child.ts";

export interface BareApiInput {
  readonly securityJson: string;
  readonly startedJson: string;
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
}

const { securityJson, startedJson, headers } = childInput<BareApiInput>();
const app = new Elysia()
  .get("/api/v1/scans/:token/security", ({ request }) =>
    request.headers.get("if-none-match") === null ? new Response(securityJson, { headers }) : new Response(null, { status: 304, headers }),
  )
  .post("/api/v1/scans", ({ body }) => new Response(body === null ? null : startedJson, { status: 202, headers }))
  .listen({ port: 0, hostname: "127.0.0.1" });
sendReady({ port: app.server?.port });
