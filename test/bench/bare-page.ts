/** What the framework can do at best with a page: one route that returns the given bytes, and does nothing else. */
import { Elysia } from "elysia";
import { given, say } from "./child.ts";

export interface BarePageGiven {
  /** As it goes over the wire, in base 64. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const { body, headers } = given<BarePageGiven>();
const bytes = Buffer.from(body, "base64");
const app = new Elysia().get("/*", () => new Response(bytes, { headers })).listen({ port: 0, hostname: "127.0.0.1" });
say({ port: app.server?.port });
