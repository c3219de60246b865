/** A server without a browser that is killed at random instants while clients write, and started again on the same data. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ServerUnderTest, serve } from "../../support/program.ts";
import type { Installation } from "../operate/operated.ts";
import { unfinishedIn } from "../operate/operated.ts";

const readyMsMax = 60_000;
const pollMs = 20;

/** Answer of the API. Null without one: the server may have done what was asked, or not. */
export type Reply<T> = { readonly status: number; readonly body: T } | null;

export interface WrittenServer {
  start(): Promise<void>;
  kill(): Promise<void>;
  /** `body`: an object becomes JSON, a text CSV. */
  ask<T>(method: string, path: string, body?: object | string, headers?: Readonly<Record<string, string>>): Promise<Reply<T>>;
  /** All items of a list, by pages. */
  list<T>(path: string): Promise<readonly T[]>;
  /** Ends the server in order, and expects that no file of unfinished work is left. */
  end(): Promise<void>;
}

export async function writtenServer(installation: Installation): Promise<WrittenServer> {
  const data = join(installation.folder, "data");
  const email = "first@assay.test";
  await installation.assay(["user", "create", email, "--data", data]);
  const token = (await installation.assay(["token", "create", "--user", email, "--name", "kill", "--data", data])).stdout.trim();
  const { command, folder: cwd } = installation;
  // Scans fail at once, but they are claimed, run and end as others do.
  const env = { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_BROWSER_PATH: "/bin/false" };
  let server: ServerUnderTest | null = null;
  const present = () => {
    if (server === null) throw new Error("the server does not run");
    return server;
  };

  async function ask<T>(method: string, path: string, body?: object | string, headers = {}): Promise<Reply<T>> {
    const type = typeof body === "string" ? "text/csv" : "application/json";
    try {
      const response = await fetch(`${present().url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": type }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : JSON.parse(text) } as Reply<T>;
    } catch {
      return null;
    }
  }

  async function list<T>(path: string): Promise<readonly T[]> {
    const items: T[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const reply: Reply<{ items: T[]; nextCursor?: string | null }> = await ask(
        "GET",
        `${path}${cursor === "" ? "" : `?cursor=${cursor}`}`,
      );
      expect(reply?.status).toBe(200);
      items.push(...(reply?.body.items ?? []));
      cursor = reply?.body.nextCursor ?? null;
    }
    return items;
  }

  return {
    ask,
    list,
    start: async () => {
      server = await serve(["--data", data], { command, cwd, env });
      const deadline = performance.now() + readyMsMax;
      // It answers once the store is open; without a browser, it never calls itself ready.
      while ((await ask("GET", "/scans?limit=1"))?.status !== 200) {
        if (performance.now() > deadline) throw new Error(`the server did not open its store: ${server.stderr()}`);
        await Bun.sleep(pollMs);
      }
    },
    kill: async () => {
      await present().end("SIGKILL");
      server = null;
    },
    end: async () => {
      expect(await present().end("SIGTERM")).toBe(0);
      server = null;
      expect(unfinishedIn(data)).toEqual([]);
      const profiles = join(data, "browser/profiles");
      expect(readdirSync(profiles).flatMap((owner) => readdirSync(join(profiles, owner)))).toEqual([]);
    },
  };
}
