/** Domains with their mail records, policy hosts and security.txt, on a resolver and servers of this machine alone. */
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { startDnsServer, type Zones } from "../support/dns-server.ts";
import { closedPort, egressTo, type Route, type Routes, startHttp, startHttps } from "../support/servers.ts";
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
const unread: MailStates = {
  "mail-dmarc": "notChecked",
  "mail-dmarc-policy": "notChecked",
  "mail-dmarc-reporting": "notChecked",
  "mail-mta-sts": "notChecked",
  "mail-tls-rpt": "notChecked",
  "dns-caa": "notChecked",
};

/** What the names below the domain answer, by the part before the domain; `@` is the domain itself. */
type Records = Readonly<Record<string, Zones[string] | null>>;

interface MailCase {
  readonly name: string;
  /** `assay-<label>.org` is the domain; `OWN` in policies and files stands for it. */
  readonly label: string;
  /** A name below the domain that is scanned in its place. */
  readonly below?: string;
  /** Laid over the records of a sound domain; null takes a name away. */
  readonly records?: Records;
  /** Names beyond the domain. */
  readonly zones?: Zones;
  /** What stands at the policy's place; `refused`, `elsewhere` (another's certificate), or `unknown`: the resolver decides where that host is. */
  readonly policy?: Route | "refused" | "elsewhere" | "unknown";
  /** Beside the page; laid over a sound security.txt. */
  readonly files?: Routes;
  /** Beyond what is sound. */
  readonly states: MailStates;
  readonly codes?: readonly string[];
}

const plainText = { "content-type": "text/plain; charset=utf-8" };
const lines = (...given: readonly string[]) => given.map((line) => `${line}\r\n`).join("");
const policyFile = (...given: readonly string[]): Route => ({ headers: plainText, body: lines(...given) });
const securityTxt = (...given: readonly string[]): Routes => ({ "/.well-known/security.txt": policyFile(...given) });
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

/** `OWN` in everything that is plain data becomes the domain. */
function owned<T>(given: T, domain: string): T {
  if (typeof given === "string") return given.replaceAll("OWN", domain) as T;
  if (Array.isArray(given)) return given.map((part) => owned(part, domain)) as T;
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, part]) => [name, owned(part, domain)])) as T;
}

function zonesOf({ records = {}, zones = {} }: MailCase, domain: string): Zones {
  const all = Object.entries({ ...soundRecords, ...records }).flatMap(([name, zone]) =>
    zone === null ? [] : [[name === "@" ? domain : `${name}.${domain}`, owned(zone, domain)] as const],
  );
  return { ...Object.fromEntries(all), ...zones };
}

const page: Route = { body: '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laboratory</title></head></html>' };
/** What never answers is waited for; nothing else takes its time here. */
const deadlines = { settleMs: 50, settleMaxMs: 500, probeMs: 2_000 };

function serve(mailCase: MailCase): Promise<LabSite> {
  const { label, below, files = securityTxt(...soundFile), policy = policyFile(...soundPolicy) } = mailCase;
  const domain = `assay-${label}.org`;
  const host = below === undefined ? domain : `${below}.${domain}`;
  const policyHost = `mta-sts.${domain}`;
  return startGroup(async (track) => {
    const dns = track(await startDnsServer(zonesOf(mailCase, domain)));
    const names = [host, ...(policy === "elsewhere" ? [] : [policyHost])];
    const routes = { "/": page, ...(typeof policy === "string" ? {} : { "/.well-known/mta-sts.txt": policy }), ...files };
    const site = track(await startHttps(siteIdentity(host, { names }), owned(routes, domain)));
    const plain = track(await startHttp(owned(files, domain)));
    const policyPlace = policy === "refused" ? { port: await closedPort() } : site;
    const places = {
      [`${host}:443`]: site,
      [`${host}:80`]: plain,
      ...(policy === "unknown" ? {} : { [`${policyHost}:443`]: policyPlace }),
    };
    return {
      url: `https://${host}/`,
      egress: egressTo(places, { dnsServers: [dns.address] }),
      caPems: [testAuthority().root.pem],
      deadlines,
    };
  });
}

const never: Route = () => {};
const noMail: MailStates = { "mail-mta-sts": "notApplicable", "mail-tls-rpt": "notApplicable" };
const sts = (label: string, name: string, policy: NonNullable<MailCase["policy"]>, state: States[string], code?: string): MailCase => ({
  name: `MTA-STS: ${name}`,
  label: `sts-${label}`,
  policy,
  states: { "mail-mta-sts": state },
  ...(code !== undefined && { codes: [`security.mail.mta-sts-${code}`] }),
});
const filed = (label: string, name: string, files: Routes, states: MailStates, ...codes: readonly string[]): MailCase => ({
  name: `security.txt: ${name}`,
  label: `txt-${label}`,
  files,
  states,
  codes: codes.map((code) => `security.security-txt.${code}`),
});

const everyRecord = { _dmarc: null, "_mta-sts": null, "_smtp._tls": null };
const allServfail = { TXT: "SERVFAIL", MX: "SERVFAIL", CAA: "SERVFAIL" } as const;
const allSilent = { TXT: "silent", MX: "silent", CAA: "silent" } as const;
const failing = (zone: Zones[string]): Records => ({ "@": zone, _dmarc: zone, "_mta-sts": zone, "_smtp._tls": zone });

const general: readonly MailCase[] = [
  { name: "everything said, and said rightly", label: "mail-sound", states: {} },
  {
    name: "mail, and nothing said about it",
    label: "mail-bare",
    records: { ...everyRecord, "@": { MX: [{ preference: 10, exchange: "mail.OWN" }] } },
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
  { name: "a resolver that cannot find out", label: "mail-servfail", records: failing(allServfail), states: unread },
  { name: "a resolver that is silent", label: "mail-silent", records: failing(allSilent), states: unread },
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
    name: "DMARC: only observing, reports to nobody",
    label: "dmarc-observing",
    records: dmarc("v=DMARC1; p=none; rua=reports@OWN"),
    states: { "mail-dmarc-policy": "violated", "mail-dmarc-reporting": "violated" },
    codes: ["security.mail.dmarc-policy-none", "security.mail.dmarc-rua-invalid"],
  },
  {
    name: "DMARC: a name below the domain, which its record leaves open",
    label: "dmarc-open",
    below: "www",
    records: dmarc("v=DMARC1; p=reject; sp=none; rua=mailto:reports@OWN"),
    states: { "mail-dmarc-policy": "violated" },
    codes: ["security.mail.dmarc-subdomain-policy-none"],
  },
  {
    name: "DMARC: a name below the domain that cannot be asked about",
    label: "dmarc-deaf-host",
    below: "www",
    records: { "_dmarc.www": { TXT: "SERVFAIL" } },
    states: { "mail-dmarc-policy": "notChecked" },
  },
  {
    name: "DMARC: a suffix speaks for the domain",
    label: "dmarc-suffix",
    records: { _dmarc: null },
    zones: { "_dmarc.org": text("v=DMARC1; p=none; sp=reject; psd=y; rua=mailto:reports@org.example") },
    states: { "mail-dmarc-reporting": "violated" },
    codes: ["security.mail.dmarc-rua-unauthorised"],
  },
  {
    name: "DMARC: another domain agreed to receive reports",
    label: "dmarc-agreed",
    records: dmarc("v=DMARC1; p=quarantine; rua=mailto:a@assay-reports.net"),
    zones: { "assay-dmarc-agreed.org._report._dmarc.assay-reports.net": text("v=DMARC1") },
    states: {},
  },
  {
    name: "DMARC: another domain cannot be asked whether it agreed",
    label: "dmarc-unheard",
    records: dmarc("v=DMARC1; p=quarantine; rua=mailto:a@assay-reports.net"),
    zones: { "assay-dmarc-unheard.org._report._dmarc.assay-reports.net": { TXT: "SERVFAIL" } },
    states: { "mail-dmarc-reporting": "notChecked" },
  },
];

const transportCases: readonly MailCase[] = [
  sts("testing", "testing", policyFile(...soundPolicy.map((line) => line.replace("enforce", "testing"))), "violated", "testing"),
  sts("short", "keys that a well-known tool never asks for", policyFile("mx: mail.OWN"), "violated", "policy-version"),
  sts("redirect", "a redirect is not followed", { status: 302, headers: { location: "/elsewhere" } }, "violated", "policy-redirect"),
  sts("page", "a page in its place", page, "violated", "policy-content-type"),
  sts("refused", "the policy host refuses", "refused", "violated", "policy-host-refused"),
  sts("certificate", "the policy host shows the certificate of the site", "elsewhere", "violated", "policy-certificate"),
  sts("unknown", "the policy host does not exist", "unknown", "violated", "policy-host-missing"),
  sts("never", "the policy host never answers", never, "notChecked"),
  sts("broken", "the policy host has trouble", { status: 503 }, "notChecked"),
  {
    ...sts("deep", "a pattern that is not anchored would cover these hosts", policyFile(...soundPolicy), "violated", "mx-not-covered"),
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
    name: "CAA: a critical tag that nobody knows",
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
  filed("signed", "signed, and where it says that it is", securityTxt(...signedFile), {}),
  filed("root", "only where it used to be", { "/security.txt": policyFile(...soundFile) }, { "security-txt": "violated" }, "wrong-place"),
  filed(
    "everything",
    "a page for every path",
    { "*": page },
    { "security-txt": "violated", "security-txt-valid": "notApplicable" },
    "missing",
  ),
  filed(
    "plain",
    "redirected to plain http",
    {
      "/.well-known/security.txt": { status: 301, headers: { location: "http://OWN/security.txt" } },
      "/security.txt": policyFile(...soundFile),
    },
    { "security-txt": "violated" },
    "redirect-to-http",
  ),
  filed(
    "faulty",
    "out of date, misspelt, over http, and of another site",
    securityTxt("Contact: http://OWN/contact", "Expires: 2020-01-01T00:00:00Z", "Canonical: https://other.example/security.txt", "hello"),
    { "security-txt-valid": "violated" },
    "expires-past",
    "uri-http",
    "canonical-mismatch",
    "line-malformed",
  ),
  filed(
    "shut",
    "refused",
    { "/.well-known/security.txt": { status: 403 } },
    { "security-txt": "notChecked", "security-txt-valid": "notChecked" },
  ),
  filed(
    "never",
    "never answered",
    { "/.well-known/security.txt": never },
    { "security-txt": "notChecked", "security-txt-valid": "notChecked" },
  ),
  filed("long", "longer than is read", securityTxt(...soundFile, `# ${"x".repeat(110_000)}`), { "security-txt-valid": "notChecked" }),
];

export const mailCases: readonly LabCase[] = [...general, ...dmarcCases, ...transportCases, ...fileCases].map((mailCase) => ({
  name: mailCase.name,
  expected: { ...sound, ...mailCase.states },
  ...(mailCase.codes && { codes: mailCase.codes }),
  serve: () => serve(mailCase),
}));
