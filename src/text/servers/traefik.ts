/** Lines for Traefik: YAML of its dynamic configuration. */
import { createTarget, indented, policyName, type Renderers } from "./target.ts";

interface Part {
  readonly in: keyof typeof places;
  readonly lines: readonly string[];
}

/** Keys above the lines, outermost first. */
const places = {
  headers: ["http", "middlewares", "assay-headers", "headers", "customResponseHeaders"],
  requests: ["http", "middlewares", "assay-headers", "headers", "customRequestHeaders"],
  redirect: ["http", "middlewares", "assay-https", "redirectScheme"],
  tls: ["tls", "options", "default"],
} as const;

const renderers: Renderers<Part> = {
  header: headerPart,
  "remove-header": ({ name }) => ({ in: "headers", lines: [`${name}: ""`] }),
  // The value replaces the application's value; Traefik cannot add a second field.
  policy: ({ directives, present }) => (present === "none" ? headerPart({ name: policyName, value: directives }) : null),
  "https-redirect": () => ({ in: "redirect", lines: ["scheme: https", "permanent: true"] }),
  "tls-protocols": () => ({ in: "tls", lines: ["minVersion: VersionTLS12"] }),
  "tls-ciphers": () => ({ in: "tls", lines: ["cipherSuites:", ...cipherSuites.map((name) => `  - ${name}`)] }),
  "tls-curves": () => ({ in: "tls", lines: ["curvePreferences:", "  - X25519", "  - CurveP256", "  - CurveP384"] }),
  // Traefik has no Server header of its own.
  "server-version": () => ({ in: "headers", lines: ['Server: ""'] }),
  "forwarded-scheme": () => ({ in: "requests", lines: ["X-Forwarded-Proto: https"] }),
};

const cipherSuites = [
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
];

/** Quoted value; null for double braces: Traefik reads files as Go templates. A JSON string is a YAML string (YAML 1.2, section 1.3). */
function headerPart({ name, value }: { readonly name: string; readonly value: string }): Part | null {
  return value.includes("{{") ? null : { in: "headers", lines: [`${name}: ${JSON.stringify(value)}`] };
}

/** Lines that share the outer keys; each key exists once. */
function nested(parts: readonly Part[], depth: number): readonly string[] {
  const byKey = Map.groupBy(parts, (part) => places[part.in][depth] ?? "");
  return [...byKey].flatMap(([key, same]) =>
    key === "" ? [...new Set(same.flatMap(({ lines }) => lines))] : [`${key}:`, ...indented(nested(same, depth + 1))],
  );
}

export const traefik = createTarget<Part>({ label: "Traefik", renderers, lines: (parts, comments) => [...comments, ...nested(parts, 0)] });
