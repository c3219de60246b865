/** Runs sslscan and testssl.sh on a local server, and expresses what they say as states of the TLS rows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBinaryCurve, isShortCurve } from "../../src/parse/server-key-exchange.ts";
import { weakSuites } from "../../src/probe/tls/cipher-suites.ts";
import { testAuthority } from "../support/certificates.ts";
import type { TestsslPart } from "./tls-peer-configurations.ts";

/** Rows without the prefix `tls-`, as far as the tool says something about them. */
export type Claims = Readonly<Record<string, "passed" | "violated">>;

interface Target {
  readonly host: string;
  readonly port: number;
}

const toolMsMax = 300_000;
const groupBitsMin = 2_048;
/** sslscan prints the strength of a curve, which is half its length. */
const curveStrengthMin = 128;

export async function sslscanClaims({ host, port }: Target): Promise<Claims> {
  const skipped = ["heartbleed", "compression", "renegotiation", "fallback"].map((what) => `--no-${what}`);
  const xml = await outputOf(["sslscan", "--no-colour", `--sni-name=${host}`, ...skipped, "--xml=-", `127.0.0.1:${port}`]);
  const versions = elements(xml, "protocol").filter(({ type, enabled }) => type === "tls" && enabled === "1");
  const isEnabled = (...names: readonly string[]) => versions.some(({ version = "" }) => names.includes(version));
  const ciphers = elements(xml, "cipher");
  const weak = ciphers.flatMap(({ id }) => weakSuites.find(({ code }) => code === Number(id)) ?? []);
  const curves = elements(xml, "group").map(({ name = "" }) => name.split(" ")[0] ?? "");
  const isExchangeWeak =
    weak.some(({ name }) => isWithoutForwardSecrecy(name)) ||
    // The group of anonymous suites is of no interest.
    ciphers.some(({ cipher = "", dhebits }) => !cipher.startsWith("ADH") && dhebits !== undefined && Number(dhebits) < groupBitsMin) ||
    curves.some((curve) => isShortCurve(curve) || isBinaryCurve(curve));
  return {
    "modern-protocol": claim(!isEnabled("1.2", "1.3")),
    "legacy-protocols": claim(isEnabled("1.0", "1.1")),
    "weak-ciphers": claim(weak.length > 0),
    "key-exchange": claim(isExchangeWeak),
    ...certificateClaims(xml, host),
  };
}

/** What sslscan prints about the first certificate. Its chain is not judged. */
function certificateClaims(xml: string, host: string): Claims {
  const [key] = elements(xml, "pk");
  const text = (name: string) => new RegExp(`<${name}>(?:<!\\[CDATA\\[)?([^<\\]]*)`).exec(xml)?.[1] ?? "";
  if (key === undefined) return {};
  const { type, bits } = key;
  const now = Date.now();
  const isSelfSigned = text("self-signed") === "true";
  return {
    "certificate-validity": claim(now < Date.parse(text("not-valid-before")) || now > Date.parse(text("not-valid-after"))),
    "hostname-match": claim(!text("altnames").split(", ").includes(`DNS:${host}`)),
    "key-strength": claim(Number(bits) < (type === "RSA" ? groupBitsMin : curveStrengthMin)),
    ...(isSelfSigned ? { "trust-chain": "violated" } : { "signature-algorithm": claim(/sha1|md5|SHA1/.test(text("signature-algorithm"))) }),
  };
}

const testsslOptions: Readonly<Record<TestsslPart, readonly string[]>> = {
  suites: ["-p", "-s"],
  "key-exchange": ["-p", "-s", "-f"],
  certificate: ["-S"],
};

export async function testsslClaims({ host, port }: Target, what: TestsslPart): Promise<Claims> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-testssl-"));
  try {
    const [file, authority] = [join(folder, "findings.json"), join(folder, "root.pem")];
    writeFileSync(authority, testAuthority().root.pem);
    const quiet = ["--quiet", "--color", "0", "--warnings", "batch", "--nodns", "min", "--assuming-http"];
    await outputOf([
      "testssl",
      ...quiet,
      "--ip",
      "127.0.0.1",
      "--add-ca",
      authority,
      ...testsslOptions[what],
      "--jsonfile",
      file,
      `${host}:${port}`,
    ]);
    const findings = JSON.parse(readFileSync(file, "utf8")) as readonly (TestsslFinding & { id: string })[];
    const byId = new Map(findings.map(({ id, ...finding }) => [id.split(" ")[0] ?? "", finding]));
    return what === "certificate" ? testsslCertificateClaims(byId) : { ...testsslSuiteClaims(byId), ...testsslExchangeClaims(byId) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface TestsslFinding {
  readonly severity: string;
  readonly finding: string;
}

type Findings = ReadonlyMap<string, TestsslFinding>;

function textOf(findings: Findings, id: string): string {
  return findings.get(id)?.finding ?? "";
}

/** Categories of testssl.sh. It has none for static RSA with GCM, so that it never passes the row. */
const weakCategories = ["NULL", "aNULL", "EXPORT", "LOW", "3DES_IDEA", "OBSOLETED", "AVERAGE"].map((name) => `cipherlist_${name}`);

/** Empty if testssl.sh could not connect. */
function testsslSuiteClaims(findings: Findings): Claims {
  if (!findings.has("TLS1_2")) return {};
  const isOffered = (...ids: readonly string[]) => ids.some((id) => textOf(findings, id).startsWith("offered"));
  return {
    "modern-protocol": claim(!isOffered("TLS1_2", "TLS1_3")),
    "legacy-protocols": claim(isOffered("TLS1", "TLS1_1")),
    ...(isOffered(...weakCategories) ? { "weak-ciphers": "violated" } : {}),
  };
}

/** Curves and groups. A strong group does not pass the row, because suites without forward secrecy are elsewhere. */
function testsslExchangeClaims(findings: Findings): Claims {
  const curves = textOf(findings, "PFS_ECDHE_curves")
    .split(" ")
    .map((name) => name.replace("prime", "secp"));
  const isGroupWeak = !["OK", "INFO"].includes(findings.get("DH_groups")?.severity ?? "OK");
  const isWeak = curves.some((curve) => isShortCurve(curve) || isBinaryCurve(curve)) || isGroupWeak;
  return isWeak ? { "key-exchange": "violated" } : {};
}

function testsslCertificateClaims(findings: Findings): Claims {
  if (!findings.has("cert_keySize")) return {};
  const trust = textOf(findings, "cert_trust");
  const chain = textOf(findings, "cert_chain_of_trust");
  const bits = Number(/(\d{3,5}) bits/.exec(textOf(findings, "cert_keySize"))?.[1]);
  return {
    "certificate-validity": claim(/expired/i.test(textOf(findings, "cert_expirationStatus"))),
    "hostname-match": claim(!/^Ok/i.test(trust)),
    "key-strength": claim(bits < groupBitsMin),
    ...(/self.signed/i.test(chain)
      ? { "trust-chain": "violated" }
      : { "signature-algorithm": claim(/SHA1|MD5/.test(textOf(findings, "cert_signatureAlgorithm"))) }),
    ...(/^passed|^Ok/i.test(chain) ? { "trust-chain": "passed" } : {}),
  };
}

function isWithoutForwardSecrecy(suite: string): boolean {
  return !/^(EXP\d*-)?(ECDHE|DHE|ADH|AECDH)-/.test(suite);
}

function claim(isViolated: boolean): "passed" | "violated" {
  return isViolated ? "violated" : "passed";
}

/** Attributes of all elements of that name. */
function elements(xml: string, name: string): readonly Readonly<Record<string, string | undefined>>[] {
  return [...xml.matchAll(new RegExp(`<${name} ([^>]*?)/?>`, "g"))].map(([, attributes = ""]) =>
    Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value])),
  );
}

/** testssl.sh exits with the number of its findings, so the exit code says nothing. */
async function outputOf(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore", stdin: "ignore", timeout: toolMsMax });
  return new Response(child.stdout).text();
}
