/** Identity provider of the package `oidc-provider`, over https: a certified implementation with pages for sign-in and consent. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:https";
import Provider from "oidc-provider";
import type { Page } from "puppeteer-core";
import { siteIdentity } from "../../support/certificates.ts";
import { listening } from "../../support/servers.ts";
import { submit } from "./forms.ts";

export interface Person {
  readonly email: string;
  readonly email_verified: boolean;
  readonly groups?: readonly string[];
}

export interface CertifiedProvider {
  readonly issuer: string;
  readonly port: number;
  /** Replaces its signing key. */
  rotateKeys(): void;
  stop(): Promise<void>;
}

export interface ProviderClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
}

const host = "id.assay.test";

/** `people` by the name with which they sign in. */
export async function startCertifiedProvider(client: ProviderClient, people: Readonly<Record<string, Person>>): Promise<CertifiedProvider> {
  const { certificateChainPem: cert, privateKeyPem: key } = siteIdentity(host);
  let answer: ReturnType<Provider["callback"]> | null = null;
  const server = await listening(createServer({ cert, key }, (request, response) => answer?.(request, response)));
  const issuer = `https://${host}:${server.port}`;
  const renew = () => {
    answer = providerOf(issuer, client, people).callback();
  };
  renew();
  return { issuer, port: server.port, rotateKeys: renew, stop: server.stop };
}

function providerOf(issuer: string, { id, secret, redirectUri }: ProviderClient, people: Readonly<Record<string, Person>>): Provider {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return new Provider(issuer, {
    clients: [
      { client_id: id, client_secret: secret, redirect_uris: [redirectUri], response_types: ["code"], grant_types: ["authorization_code"] },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "RS256" }] },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    scopes: ["openid", "email", "groups"],
    pkce: { required: () => true },
    findAccount: (_context: unknown, name: string) => ({ accountId: name, claims: () => ({ sub: name, ...people[name] }) }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
  });
}

/** Signs in on the pages of the provider and agrees. */
export async function signInAtProvider(page: Page, name: string): Promise<void> {
  await submit(page, { login: name, password: "any" }, { form: "form" });
  await submit(page, {}, { form: "form" });
}
