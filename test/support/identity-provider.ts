/** Identity provider on loopback whose answers can be wrong in every way that a sign-in must refuse. Real HTTP, real keys. */
import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ReceivedRequest, startHttp, type TestServer } from "./servers.ts";

export type TestClaims = Readonly<Record<string, unknown>>;

/** What an answer does wrong, or says differently. */
export interface Staging {
  /** Replaces claims of the ID token; undefined removes one. */
  readonly claims?: TestClaims;
  readonly alg?: "RS256" | "none" | "HS256";
  /** Changes the payload after it was signed. */
  readonly tampered?: boolean;
  /** Signs with a key that the provider does not publish. */
  readonly foreignKey?: boolean;
  /** Body of the token endpoint in place of tokens. */
  readonly tokenError?: { readonly status: number; readonly body: string; readonly contentType?: string };
  /** Claims of the userinfo endpoint. */
  readonly userInfo?: TestClaims;
  /** Closes every connection. */
  readonly down?: boolean;
  /** Who is signed in there, for browsers. */
  readonly person?: TestClaims;
  /** Values of the configuration document. */
  readonly metadata?: TestClaims;
}

export interface TestProvider {
  readonly issuer: string;
  readonly requests: readonly ReceivedRequest[];
  /** Signs in a person: query of the redirection for an authorization request. The code works once. */
  answer(authorizationUrl: string, person: TestClaims): URLSearchParams;
  stage(staging: Staging): void;
  /** Publishes and uses another key; the old one is gone. */
  rotateKeys(): void;
  stop(): Promise<void>;
}

export const testClientId = "assay-client";
export const testClientSecret = "s3cret+of:assay";
const tokenSeconds = 300;

interface Grant {
  readonly challenge: string;
  readonly nonce: string | null;
  readonly redirectUri: string | null;
  readonly person: TestClaims;
}

export async function startTestProvider(): Promise<TestProvider> {
  const grants = new Map<string, Grant>();
  const people = new Map<string, TestClaims>();
  let key = newKey();
  let staging: Staging = {};
  let server: TestServer | null = null;
  const issuer = () => `http://127.0.0.1:${server?.port}`;

  function idToken({ nonce, person }: Grant): string {
    const seconds = Math.floor(Date.now() / 1_000);
    const usual = { iss: issuer(), aud: testClientId, iat: seconds, exp: seconds + tokenSeconds, nonce, ...person };
    const claims = { ...usual, ...staging.claims };
    const { alg = "RS256" } = staging;
    const signed = [{ alg, kid: key.id }, claims].map((part) => encoded(JSON.stringify(part))).join(".");
    const signature = signatureOf(signed, alg, staging.foreignKey ? newKey() : key);
    if (!staging.tampered) return `${signed}.${signature}`;
    return [signed.split(".")[0], encoded(JSON.stringify({ ...claims, sub: "somebody-else" })), signature].join(".");
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (staging.down) return void response.destroy();
    const form = new URLSearchParams(await textOf(request));
    const grant = grants.get(form.get("code") ?? "");
    grants.delete(form.get("code") ?? "");
    const { tokenError } = staging;
    if (tokenError) return send(response, tokenError.status, tokenError.body, tokenError.contentType);
    if (request.headers.authorization !== basicOf(testClientId, testClientSecret))
      return sendJson(response, 401, { error: "invalid_client" });
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant === undefined || grant.challenge !== proof || grant.redirectUri !== form.get("redirect_uri"))
      return sendJson(response, 400, { error: "invalid_grant", error_description: "secret details of the provider" });
    const access = randomUUID();
    people.set(access, { ...grant.person, ...staging.userInfo });
    sendJson(response, 200, { access_token: access, token_type: "Bearer", expires_in: tokenSeconds, id_token: idToken(grant) });
  }

  function answer(authorizationUrl: string, person: TestClaims): URLSearchParams {
    const { searchParams: asked } = new URL(authorizationUrl);
    const code = randomUUID();
    const [challenge, nonce, redirectUri] = [asked.get("code_challenge") ?? "", asked.get("nonce"), asked.get("redirect_uri")];
    grants.set(code, { challenge, nonce, redirectUri, person });
    return new URLSearchParams({ code, state: asked.get("state") ?? "", iss: issuer() });
  }

  server = await startHttp({
    "/.well-known/openid-configuration": (_request, response) => {
      if (staging.down) return void response.destroy();
      const at = (path: string) => `${issuer()}${path}`;
      sendJson(response, 200, {
        issuer: issuer(),
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        userinfo_endpoint: at("/userinfo"),
        jwks_uri: at("/keys"),
        id_token_signing_alg_values_supported: ["RS256"],
        ...staging.metadata,
      });
    },
    "/keys": (_request, response) =>
      sendJson(response, 200, { keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.id, use: "sig" }] }),
    "/authorize": (request, response) => {
      const asked = new URL(request.url ?? "", issuer());
      const query = answer(asked.href, staging.person ?? {});
      response.writeHead(303, { location: `${asked.searchParams.get("redirect_uri")}?${query}` }).end();
    },
    "/token": (request, response) => void token(request, response),
    "/userinfo": (request, response) =>
      sendJson(response, 200, people.get(request.headers.authorization?.replace("Bearer ", "") ?? "") ?? {}),
  });
  return {
    issuer: issuer(),
    requests: server.requests,
    answer,
    stage: (next) => {
      staging = next;
    },
    rotateKeys: () => {
      key = newKey();
    },
    stop: server.stop,
  };
}

interface SigningKey {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function newKey(): SigningKey {
  return { id: randomUUID(), ...generateKeyPairSync("rsa", { modulusLength: 2_048 }) };
}

function signatureOf(text: string, alg: string, { privateKey }: SigningKey): string {
  if (alg === "none") return "";
  if (alg === "HS256") return createHmac("sha256", testClientSecret).update(text).digest("base64url");
  return sign("sha256", Buffer.from(text), privateKey).toString("base64url");
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basicOf(...parts: readonly string[]): string {
  return `Basic ${Buffer.from(parts.map(encodeURIComponent).join(":")).toString("base64")}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, body: TestClaims): void {
  send(response, status, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, body: string, contentType = "application/json"): void {
  response.writeHead(status, { "content-type": contentType });
  response.end(body);
}
