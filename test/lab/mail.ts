/** Laboratory cases for mail records, policy hosts and security.txt, with a DNS server in the test process. */

import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer, type Zones } from "../support/dns-server.ts";
import { portWithoutListener } from "../support/ports.ts";
import { egressTo, type Route, type Routes, startHttp, startHttps } from "../support/servers.ts";
import type { LabCase, LabSite, States } from "./laboratory.ts";
import { startGroup } from "./server-group.ts";

type MailKey =
  | "mail-dmarc"
  | "mail-dmarc-policy"
  | "mail-dmarc-reporting"
  | "mail-mta-sts"
  | "mail-tls-rpt"
  | "dns-caa"
  | "security-txt"
  | "security-txt-valid";
type MailStates = Partial<Record<MailKey, States[string]>>;

const sound: Record<MailKey, States[string]> = {
  "mail-dmarc": "passed",
  "mail-dmarc-policy": "passed",
  "mail-dmarc-reporting": "passed",
  "mail-mta-sts": "passed",
  "mail-tls-rpt": "passed",
  "dns-caa": "passed",
  "security-txt": "passed",
  "security-txt-valid": "passed",
};
const undecided: MailStates = {
  "mail-dmarc": "notChecked",
  "mail-dmarc-policy": "notChecked",
  "mail-dmarc-reporting": "notChecked",
  "mail-mta-sts": "notChecked",
  "mail-tls-rpt": "notChecked",
  "dns-caa": "notChecked",
};

/** Records by name below the domain; `@` is the domain itself, null removes a name. */
type Records = Readonly<Record<string, Zones[string] | null>>;

interface MailCase {
  readonly name: string;
  /** Label of the domain `assay-<label>.org`, which replaces `OWN` in policies and files. */
  readonly label: string;
  /** Subdomain to scan instead of the domain. */
  readonly subdomain?: string;
  /** Changes to the records of a sound domain. */
  readonly records?: Records;
  /** Zones outside the domain. */
  readonly zones?: Zones;
  /** The policy's route, or a fault: `elsewhere` has another host's certificate, `unknown` has no address. */
  readonly policy?: Route | "refused" | "elsewhere" | "unknown";
  /** Further files; by default a sound security.txt. */
  readonly files?: Routes;
  /** States that differ from a sound domain. */
  readonly states: MailStates;
  readonly codes?: readonly string[];
}

const plainText = { "content-type": "text/plain; charset=utf-8" };
const lines = (...all: readonly string[]) => all.map((line) => `${line}\r\n`).join("");
const policyFile = (...all: readonly string[]): Route => ({ headers: plainText, body: lines(...all) });
const securityTxt = (...all: readonly string[]): Routes => ({ "/.well-known/security.txt": policyFile(...all) });
const text = (...records: readonly string[]) => ({ TXT: records });
const dmarc = (record: string): Records => ({ _dmarc: text(record) });
const soundPolicy = ["version: STSv1", "mode: enforce", "mx: *.OWN", "max_age: 604800"] as const;
const soundFile = ["Contact: mailto:security@OWN", "Expires: 2099-01-01T00:00:00Z"] as const;
const soundRecords: Records = {
  "@": { A: ["127.0.0.1"], MX: [{ preference: 10, exchange: "mail.OWN" }], CAA: [{ flags: 0, tag: "issue", value: "ca.example" }] },
  _dmarc: text("v=DMARC1; p=reject; rua=mailto:reports@OWN"),
  "_mta-sts": text("v=STSv1; id=20261121"),
  "_smtp._tls": text("v=TLSRPTv1; rua=mailto:tls@OWN"),
};

/** Replaces `OWN` by the domain in plain data. */
function withDomain<T>(value: T, domain: string): T {
  if (typeof value === "string") return value.replaceAll("OWN", domain) as T;
  if (Array.isArray(value)) return value.map((part) => withDomain(part, domain)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withDomain(part, domain)])) as T;
}

function zonesOf({ records = {}, zones = {} }: MailCase, domain: string): Zones {
  const all = Object.entries({ ...soundRecords, ...records }).flatMap(([name, zone]) =>
    zone === null ? [] : [[name === "@" ? domain : `${name}.${domain}`, withDomain(zone, domain)] as const],
  );
  return { ...Object.fromEntries(all), ...zones };
}

const page: Route = { body: '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head></html>' };
/** Silent servers wait for the whole probe deadline. */
const deadlines = { settleMs: 50, settleMaxMs: 500, probeMs: 2_000 };

function serve(mailCase: MailCase): Promise<LabSite> {
  const { label, subdomain, files = securityTxt(...soundFile), policy = policyFile(...soundPolicy) } = mailCase;
  const domain = `assay-${label}.org`;
  const host = subdomain === undefined ? domain : `${subdomain}.${domain}`;
  const policyHost = `mta-sts.${domain}`;
  return startGroup(async (track) => {
    const dns = track(await startDnsServer(zonesOf(mailCase, domain)));
    const names = [host, ...(policy === "elsewhere" ? [] : [policyHost])];
    const routes = { "/": page, ...(typeof policy === "string" ? {} : { "/.well-known/mta-sts.txt": policy }), ...files };
    const site = track(await startHttps(siteIdentity(host, { names }), withDomain(routes, domain)));
    const plain = track(await startHttp(withDomain(files, domain)));
    const policyTarget = policy === "refused" ? { port: portWithoutListener() } : site;
    const targets = {
      [`${host}:443`]: site,
      [`${host}:80`]: plain,
      // The site's certificate is for another name.
      [`files.${domain}:443`]: site,
      ...(policy === "unknown" ? {} : { [`${policyHost}:443`]: policyTarget }),
    };
    return {
      url: `https://${host}/`,
      egress: egressTo(targets, { dnsServers: [dns.address] }),
      caPems: [testAuthority().root.pem],
      deadlines,
    };
  });
}

const noAnswer: Route = () => {};
const noMail: MailStates = { "mail-mta-sts": "notApplicable", "mail-tls-rpt": "notApplicable" };
const mtaStsCase = (
  label: string,
  name: string,
  policy: NonNullable<MailCase["policy"]>,
  state: States[string],
  code?: string,
): MailCase => ({
  name: `MTA-STS: ${name}`,
  label: `sts-${label}`,
  policy,
  states: { "mail-mta-sts": state },
  ...(code !== undefined && { codes: [`security.mail.mta-sts-${code}`] }),
});
const fileCase = (label: string, name: string, files: Routes, states: MailStates, ...codes: readonly string[]): MailCase => ({
  name: `security.txt: ${name}`,
  label: `txt-${label}`,
  files,
  states,
  codes: codes.map((code) => `security.security-txt.${code}`),
});

const withoutRecords = { _dmarc: null, "_mta-sts": null, "_smtp._tls": null };
const allServfail = { TXT: "SERVFAIL", MX: "SERVFAIL", CAA: "SERVFAIL" } as const;
const allSilent = { TXT: "silent", MX: "silent", CAA: "silent" } as const;
const failing = (zone: Zones[string]): Records => ({ "@": zone, _dmarc: zone, "_mta-sts": zone, "_smtp._tls": zone });

const general: readonly MailCase[] = [
  { name: "all records and files are valid", label: "mail-sound", states: {} },
  {
    name: "mail without any record or file",
    label: "mail-bare",
    records: { ...withoutRecords, "@": { MX: [{ preference: 10, exchange: "mail.OWN" }] } },
    files: {},
    states: {
      "mail-dmarc": "violated",
      "mail-dmarc-policy": "notApplicable",
      "mail-dmarc-reporting": "notApplicable",
      "mail-mta-sts": "violated",
      "mail-tls-rpt": "violated",
      "dns-caa": "violated",
      "security-txt": "violated",
      "security-txt-valid": "notApplicable",
    },
    codes: [
      "security.mail.dmarc-missing",
      "security.mail.mta-sts-missing",
      "security.mail.tls-rpt-missing",
      "security.dns.caa-missing",
      "security.security-txt.missing",
    ],
  },
  {
    name: "a null MX",
    label: "mail-null-mx",
    records: { "@": { ...soundRecords["@"], MX: [{ preference: 0, exchange: "." }] } },
    states: noMail,
  },
  { name: "a resolver that answers SERVFAIL", label: "mail-servfail", records: failing(allServfail), states: undecided },
  { name: "a resolver that never answers", label: "mail-silent", records: failing(allSilent), states: undecided },
];

const dmarcCases: readonly MailCase[] = [
  {
    name: "DMARC: several records",
    label: "dmarc-several",
    records: { _dmarc: text("v=DMARC1; p=reject", "v=DMARC1; p=none") },
    states: { "mail-dmarc": "violated", "mail-dmarc-policy": "notApplicable", "mail-dmarc-reporting": "notApplicable" },
    codes: ["security.mail.dmarc-several"],
  },
  {
    name: "DMARC: policy none, with an invalid report address",
    label: "dmarc-observing",
    records: dmarc("v=DMARC1; p=none; rua=reports@OWN"),
    states: { "mail-dmarc-policy": "violated", "mail-dmarc-reporting": "violated" },
    codes: ["security.mail.dmarc-policy-none", "security.mail.dmarc-rua-invalid"],
  },
  {
    name: "DMARC: a subdomain with sp=none",
    label: "dmarc-open",
    subdomain: "www",
    records: dmarc("v=DMARC1; p=reject; sp=none; rua=mailto:reports@OWN"),
    states: { "mail-dmarc-policy": "violated" },
    codes: ["security.mail.dmarc-subdomain-policy-none"],
  },
  {
    name: "DMARC: a subdomain whose record cannot be read",
    label: "dmarc-deaf-host",
    subdomain: "www",
    records: { "_dmarc.www": { TXT: "SERVFAIL" } },
    states: { "mail-dmarc-policy": "notChecked" },
  },
  {
    name: "DMARC: the record of the public suffix",
    label: "dmarc-suffix",
    records: { _dmarc: null },
    zones: { "_dmarc.org": text("v=DMARC1; p=none; sp=reject; psd=y; rua=mailto:reports@org.example") },
    states: { "mail-dmarc-reporting": "violated" },
    codes: ["security.mail.dmarc-rua-unauthorised"],
  },
  {
    name: "DMARC: reports to another domain with authorisation",
    label: "dmarc-agreed",
    records: dmarc("v=DMARC1; p=quarantine; rua=mailto:a@assay-reports.net"),
    zones: { "assay-dmarc-agreed.org._report._dmarc.assay-reports.net": text("v=DMARC1") },
    states: {},
  },
  {
    name: "DMARC: reports to another domain whose authorisation cannot be read",
    label: "dmarc-unheard",
    records: dmarc("v=DMARC1; p=quarantine; rua=mailto:a@assay-reports.net"),
    zones: { "assay-dmarc-unheard.org._report._dmarc.assay-reports.net": { TXT: "SERVFAIL" } },
    states: { "mail-dmarc-reporting": "notChecked" },
  },
];

const transportCases: readonly MailCase[] = [
  mtaStsCase("testing", "testing", policyFile(...soundPolicy.map((line) => line.replace("enforce", "testing"))), "violated", "testing"),
  mtaStsCase("short", "a policy without required keys", policyFile("mx: mail.OWN"), "violated", "policy-version"),
  mtaStsCase("redirect", "a redirect is not followed", { status: 302, headers: { location: "/elsewhere" } }, "violated", "policy-redirect"),
  mtaStsCase("page", "a page instead of the file", page, "violated", "policy-content-type"),
  mtaStsCase("refused", "the policy host refuses connections", "refused", "violated", "policy-host-refused"),
  mtaStsCase("certificate", "the policy host presents the certificate of the site", "elsewhere", "violated", "policy-certificate"),
  mtaStsCase("unknown", "the policy host does not exist", "unknown", "violated", "policy-host-missing"),
  mtaStsCase("never", "the policy host never answers", noAnswer, "notChecked"),
  mtaStsCase("broken", "the policy host answers 503", { status: 503 }, "notChecked"),
  {
    ...mtaStsCase("deep", "hosts that only an unanchored pattern would cover", policyFile(...soundPolicy), "violated", "mx-not-covered"),
    records: {
      "@": { ...soundRecords["@"], MX: ["a.b.OWN", "OWN", "mail.OWN.evil.net"].map((exchange) => ({ preference: 10, exchange })) },
    },
  },
  {
    name: "TLS reporting: several records",
    label: "rpt-several",
    records: { "_smtp._tls": text("v=TLSRPTv1; rua=mailto:a@OWN", "v=TLSRPTv1; rua=mailto:b@OWN") },
    states: { "mail-tls-rpt": "violated" },
    codes: ["security.mail.tls-rpt-several"],
  },
  {
    name: "CAA: an unknown critical tag",
    label: "caa-critical",
    records: { "@": { ...soundRecords["@"], CAA: [{ flags: 128, tag: "tbs", value: "x" }] } },
    states: { "dns-caa": "violated" },
    codes: ["security.dns.caa-critical-unknown", "security.dns.caa-issue-missing"],
  },
];

const signedFile = [
  "-----BEGIN PGP SIGNED MESSAGE-----",
  "Hash: SHA512",
  "",
  ...soundFile,
  "Canonical: https://OWN/.well-known/security.txt",
  "-----BEGIN PGP SIGNATURE-----",
  "",
  "iQIzBAEBCgAdFiEE",
  "-----END PGP SIGNATURE-----",
];

const fileCases: readonly MailCase[] = [
  fileCase("signed", "signed, at its canonical URL", securityTxt(...signedFile), {}),
  fileCase(
    "root",
    "only at the old location",
    { "/security.txt": policyFile(...soundFile) },
    { "security-txt": "violated" },
    "wrong-place",
  ),
  fileCase(
    "everything",
    "a page for every path",
    { "*": page },
    { "security-txt": "violated", "security-txt-valid": "notApplicable" },
    "missing",
  ),
  fileCase(
    "plain",
    "redirected to plain http",
    {
      "/.well-known/security.txt": { status: 301, headers: { location: "http://OWN/security.txt" } },
      "/security.txt": policyFile(...soundFile),
    },
    { "security-txt": "violated" },
    "redirect-to-http",
  ),
  fileCase(
    "elsewhere",
    "redirected to a host whose certificate has another name",
    {
      "/.well-known/security.txt": { status: 301, headers: { location: "https://files.OWN/files/security.txt" } },
      "/files/security.txt": policyFile(...soundFile),
    },
    { "security-txt": "violated", "security-txt-valid": "notApplicable" },
    "certificate-not-accepted",
  ),
  fileCase(
    "faulty",
    "expired, malformed, over http, and of another site",
    securityTxt("Contact: http://OWN/contact", "Expires: 2020-01-01T00:00:00Z", "Canonical: https://other.example/security.txt", "hello"),
    { "security-txt-valid": "violated" },
    "expires-past",
    "uri-http",
    "canonical-mismatch",
    "line-malformed",
  ),
  fileCase(
    "shut",
    "refused",
    { "/.well-known/security.txt": { status: 403 } },
    { "security-txt": "notChecked", "security-txt-valid": "notChecked" },
  ),
  fileCase(
    "never",
    "never answered",
    { "/.well-known/security.txt": noAnswer },
    { "security-txt": "notChecked", "security-txt-valid": "notChecked" },
  ),
  fileCase("long", "longer than the limit", securityTxt(...soundFile, `# ${"x".repeat(110_000)}`), { "security-txt-valid": "notChecked" }),
];

export const mailCases: readonly LabCase[] = [...general, ...dmarcCases, ...transportCases, ...fileCases].map((mailCase) => ({
  name: mailCase.name,
  expected: { ...sound, ...mailCase.states },
  ...(mailCase.codes && { codes: mailCase.codes }),
  serve: () => serve(mailCase),
}));
