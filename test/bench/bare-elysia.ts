/** What the framework can do at best: one route that returns given bytes, and does nothing else. */
import { Elysia } from "elysia";
import { given, say } from "./child.ts";

export interface BareGiven {
  readonly securityJson: string;
  readonly startedJson: string;
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

const { securityJson, startedJson, headers } = given<BareGiven>();
const app = new Elysia()
  .get("/api/v1/scans/:token/security", ({ request }) =>
    request.headers.get("if-none-match") === null ? new Response(securityJson, { headers }) : new Response(null, { status: 304, headers }),
  )
  .post("/api/v1/scans", ({ body }) => new Response(body === null ? null : startedJson, { status: 202, headers }))
  .listen({ port: 0, hostname: "127.0.0.1" });
say({ port: app.server?.port });
