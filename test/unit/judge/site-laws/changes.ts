/** Single changes of a site: improvements, which may never lower its score, and worsenings, which may never raise it. */
import { openToAllInline } from "../../../../src/check/csp.ts";
import {
  flawlessSite,
  modernSuites,
  soundHeaders,
  soundMtaStsPolicy,
  soundSecurityTxt,
  soundTexts,
  soundTls,
  standardPolicy,
} from "./any-site.ts";
import { enforcedPolicies, withDirectives, withoutSource, withPolicy } from "./policies.ts";
import { libraryVersions, type Site, type SiteCookie, type SiteTls } from "./site.ts";

export interface Change {
  readonly name: string;
  readonly after: Site;
}

type Part = Partial<Site>;

/** Every improvement of this list that changes the site. */
export function improvementsOf(site: Site): readonly Change[] {
  return [
    ...headerImprovements(site),
    ...policyImprovements(site),
    ...contentImprovements(site),
    ...cookieImprovements(site),
    ...tlsImprovements(site),
    ...recordImprovements(site),
  ].filter(({ after }) => !Bun.deepEquals(after, site));
}

/** Every worsening of this list that changes the site. */
export function worseningsOf(site: Site): readonly Change[] {
  const weaker = Object.entries(weakHeaders).flatMap(([name, weak]) =>
    isSound(site, name) ? [undefined, ...weak].map((value) => withHeader(site, name, value)) : [],
  );
  const parts: readonly (readonly [string, Part])[] = [
    ["no redirect to https", site.scheme === "https" ? { plainHttp: "answers" } : {}],
    ["another script over http", { resources: [...site.resources, { ...resource, scheme: "http" }] }],
    ["another script of a third party", { resources: [...site.resources, resource] }],
    ["an old library", { library: libraryVersions[0] ?? null }],
    ["a form over http", { forms: [...site.forms, "http"] }],
    ["a password in an address", { passwordForm: "get" }],
    ["a session cookie without attributes", { cookies: [...site.cookies, { name: "sid", attributes: [] }] }],
    ["old TLS", { tls: { ...site.tls, versions: [...new Set([...site.tls.versions, "1.0"] as const)].sort() } }],
    ["RC4", site.tls.weakKinds.includes("rc4") ? {} : { tls: { ...site.tls, weakKinds: [...site.tls.weakKinds, "rc4"] } }],
    ["a short group", { tls: { ...site.tls, dheBits: 512 } }],
    ["a short curve", { tls: { ...site.tls, weakCurve: "secp192r1" } }],
    ["an expired certificate", { tls: { ...site.tls, validity: "expired" } }],
    ["an untrusted certificate", { tls: { ...site.tls, trusted: false } }],
    ["a short key", { tls: { ...site.tls, keyBits: 1_024 } }],
    ["no CAA", { caa: [] }],
    ["no DANE", { dane: false }],
    ["no SPF", { texts: { ...site.texts, "@": [] } }],
    ["no DMARC", { texts: { ...site.texts, _dmarc: [] } }],
    ["no TLS reports", { texts: { ...site.texts, "_smtp._tls": [] } }],
    ["no security.txt", { securityTxt: null }],
    ["security.txt behind a refused certificate", withSecurityTxtAt(site, "refused")],
  ];
  // A missing SPF or security.txt is worse than any that is there, but a broken DNSSEC is worse than none.
  const unsigned: readonly (readonly [string, Part])[] = site.dnssec === "secure" ? [["no DNSSEC", { dnssec: "insecure" }]] : [];
  // With a certificate that browsers refuse, https protects as little as http does.
  const plain: readonly (readonly [string, Part])[] = Bun.deepEquals(site.tls, soundTls) ? [["no https", { scheme: "http" }]] : [];
  const cookies = changedCookies(site, "drop", (attributes, one) => attributes.filter((other) => other !== one));
  return [...weaker, ...[...parts, ...unsigned, ...plain].map((part) => changed(site, part)), ...cookies].filter(
    ({ after }) => !Bun.deepEquals(after, site),
  );
}

const resource: Site["resources"][number] = { scheme: "https", host: "cdn.example", kind: "script", integrity: null };

/** Values that are weaker than the sound one, which the site must have for the change to be a worsening. */
const weakHeaders: Readonly<Record<string, readonly string[]>> = {
  "strict-transport-security": ["max-age=0", "max-age=300", "max-age=abc"],
  "content-security-policy": ["frame-ancestors *", "default-src * 'unsafe-inline'; frame-ancestors *", "frame-ancestors 'none'"],
  "x-content-type-options": ["sniff"],
  "referrer-policy": ["unsafe-url"],
  "permissions-policy": ["camera=*"],
  "cross-origin-opener-policy": ["unsafe-none"],
};

/** Values that are better than none, though not sound. */
const betterThanNone: Readonly<Record<string, readonly string[]>> = {
  "strict-transport-security": ["max-age=0", "max-age=300", "max-age=31536000", "max-age=300; includeSubDomains"],
  "content-security-policy": [
    "upgrade-insecure-requests",
    "frame-ancestors 'self'",
    "img-src 'self'",
    "object-src 'none'; base-uri 'none'",
    "default-src *",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "script-src-elem 'self'",
    "default-src https: 'unsafe-inline'",
  ],
  "content-security-policy-report-only": ["default-src 'self'", "default-src 'self'; report-uri /r"],
  "x-frame-options": ["SAMEORIGIN"],
  "referrer-policy": ["same-origin"],
  "permissions-policy": ["camera=()", "interest-cohort=()"],
  "cross-origin-opener-policy": ["same-origin-allow-popups"],
  "cross-origin-embedder-policy": ["require-corp"],
  "cross-origin-resource-policy": ["same-origin"],
};

function headerImprovements(site: Site): readonly Change[] {
  const { headers } = site;
  const hstsAbsent = headers["strict-transport-security"] === undefined;
  const added = Object.entries(betterThanNone).flatMap(([name, values]) => {
    // A preloaded host has a better policy than these.
    const isWorse = name === "strict-transport-security" && site.preloaded && hstsAbsent;
    return headers[name] === undefined
      ? values.filter((value) => !isWorse || value !== "max-age=0").map((value) => withHeader(site, name, value))
      : [];
  });
  // A replaced policy must not lose the upgrades that it asked for.
  const upgrades = enforcedPolicies(site).some((policy) => policy.has("upgrade-insecure-requests")) ? "; upgrade-insecure-requests" : "";
  const strong = Object.entries(soundHeaders).map(([name, [value]]) =>
    withHeader(site, name, name === "content-security-policy" ? value + upgrades : value),
  );
  const removed = ["x-powered-by", "expect-ct", "x-xss-protection", "server"].map((name) => withHeader(site, name, undefined));
  return [...added, ...strong, ...removed, { name: "no CORS", after: { ...site, cors: {} } }];
}

const strictPolicies: readonly string[] = [
  "default-src 'self'",
  "script-src 'self'",
  "script-src 'none'; object-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "upgrade-insecure-requests",
  standardPolicy,
];
const scriptDirectives = ["script-src", "script-src-elem", "default-src"];
/** Sources that any site is better without. */
const loose: readonly (readonly [directives: readonly string[], source: string])[] = [
  [scriptDirectives, "'unsafe-inline'"],
  [scriptDirectives, "'unsafe-eval'"],
  [scriptDirectives, "data:"],
  [scriptDirectives, "blob:"],
  [scriptDirectives, "*"],
  [scriptDirectives, "https:"],
  [scriptDirectives, "https://ajax.googleapis.com"],
  [["style-src"], "'unsafe-inline'"],
  [["style-src"], "*"],
  [["img-src"], "http:"],
  [["script-src"], "http://cdn.example"],
  [["base-uri"], "*"],
  [["form-action"], "*"],
  [["frame-ancestors"], "*"],
  [["object-src"], "'self'"],
];

function policyImprovements(site: Site): readonly Change[] {
  const another = strictPolicies.map((policy) => ({ name: `another policy: ${policy}`, after: withPolicy(site, policy) }));
  const tighter = loose.map(([directives, source]) => ({
    name: `${directives[0]} without ${source}`,
    after: withoutSource(site, directives, source),
  }));
  const respelt = withDirectives(site, (directive) => directive.replace("scirpt-src", "script-src"));
  // Where inline scripts are stopped already, a nonce would let in further scripts.
  const isOpen = openToAllInline(enforcedPolicies(site), "script") !== null;
  const nonces = withDirectives(site, (directive) => directive.replace("'unsafe-inline'", "'nonce-c2Vjb25kMTIzNDU2'"));
  return [
    ...another,
    ...tighter,
    { name: "scirpt-src spelt script-src", after: respelt },
    { name: "nonces", after: isOpen ? nonces : site },
  ];
}

function contentImprovements(site: Site): readonly Change[] {
  const { resources, forms } = site;
  const each = <T>(list: readonly T[], better: (one: T) => T) =>
    list.map((_, at) => list.map((one, index) => (index === at ? better(one) : one)));
  const integrity = `sha384-${"b".repeat(64)}`;
  return [
    ...each(resources, (one) => ({ ...one, scheme: "https" as const })).map((after) =>
      changed(site, ["https resource", { resources: after }]),
    ),
    ...each(resources, (one) => ({ ...one, integrity })).map((after) => changed(site, ["integrity", { resources: after }])),
    ...resources.map((_, at) => changed(site, ["one resource less", { resources: resources.filter((_one, index) => index !== at) }])),
    ...each(forms, () => "https" as const).map((after) => changed(site, ["https form", { forms: after }])),
    changed(site, [
      "everything over https",
      { resources: resources.map((one) => ({ ...one, scheme: "https" })), forms: forms.map(() => "https") },
    ]),
    ...newerLibraries(site).map((library) => changed(site, ["a newer library", { library }])),
    changed(site, ["no password in an address", site.passwordForm === "get" ? { passwordForm: "post" } : {}]),
    changed(site, ["a strict referrer meta element", { referrerMeta: "no-referrer" }]),
  ];
}

/** None at all is better than an old one as well. */
function newerLibraries({ library }: Site): readonly (string | null)[] {
  return library === null ? [] : [...libraryVersions.slice(libraryVersions.indexOf(library) + 1), null];
}

function cookieImprovements(site: Site): readonly Change[] {
  const { cookies } = site;
  const hasNone = (attributes: readonly string[]) => attributes.includes("SameSite=None");
  const added = changedCookies(site, "add", (attributes, one) => {
    // The second of two SameSite attributes would win; a cookie that is sent across sites needs that.
    if (attributes.includes(one) || (one === "SameSite=Lax" && hasNone(attributes))) return attributes;
    return [...attributes, one];
  });
  const lax = cookies.map((cookie) => ({ ...cookie, attributes: cookie.attributes.filter((one) => one !== "SameSite=None") }));
  return [
    ...added,
    ...cookies.map((_, at) => changed(site, ["one cookie less", { cookies: cookies.filter((_one, index) => index !== at) }])),
    changed(site, [
      "SameSite=Lax for all",
      {
        cookies: lax.map(({ name, attributes }) => ({
          name,
          attributes: [...attributes.filter((one) => one !== "SameSite=Lax"), "SameSite=Lax"],
        })),
      },
    ]),
    changed(site, [
      "Secure for all",
      { cookies: cookies.map(({ name, attributes }) => ({ name, attributes: [...attributes, "Secure"] })) },
    ]),
  ];
}

const protectingAttributes = ["Secure", "HttpOnly", "SameSite=Lax"];

/** One change for each cookie and each attribute that protects it. */
function changedCookies(
  site: Site,
  verb: string,
  change: (attributes: readonly string[], one: string) => readonly string[],
): readonly Change[] {
  return site.cookies.flatMap((cookie, at) =>
    protectingAttributes.map((attribute) => {
      const after: SiteCookie = { ...cookie, attributes: change(cookie.attributes, attribute) };
      return changed(site, [
        `${verb} ${attribute} of ${cookie.name}`,
        { cookies: site.cookies.map((one, index) => (index === at ? after : one)) },
      ]);
    }),
  );
}

function tlsImprovements(site: Site): readonly Change[] {
  const { tls, scheme } = site;
  // A site over http is improved by https as browsers accept it.
  if (scheme === "http") return [changed(site, ["https", { scheme: "https", tls: soundTls }])];
  const modern = tls.versions.filter((version) => version === "1.2" || version === "1.3");
  const parts: readonly (readonly [string, Partial<SiteTls>])[] = [
    ["no old TLS", { versions: modern.length > 0 ? modern : ["1.2"] }],
    ["TLS 1.3", { versions: [...new Set([...tls.versions, "1.3"] as const)].sort() }],
    ["modern suites", modernSuites],
    ["no broken suites", { weakKinds: tls.weakKinds.filter((kind) => kind === "staticKey" || kind === "cbc") }],
    ["a longer group", tls.dheBits === null ? {} : { dheBits: 2_048 }],
    ["modern curves", { weakCurve: null }],
    ["a current certificate", { validity: "sound" }],
    ["a renewed certificate", tls.validity === "expired" ? { validity: "ending" } : {}],
    ["a trusted certificate", { trusted: true }],
    ["a matching certificate", { hostMatches: true }],
    ["a longer key", { keyBits: 2_048 }],
    ["SHA-256", { signatureHash: "sha256" }],
    ["a logged certificate", { transparency: "compliant" }],
    ["sound TLS", soundTls],
  ];
  return parts.map(([name, part]) => changed(site, [name, { tls: { ...tls, ...part } }]));
}

function recordImprovements(site: Site): readonly Change[] {
  const { texts } = site;
  const withTexts = (owner: keyof Site["texts"], ...records: readonly string[]) =>
    changed(site, [`${owner} ${records.join(", ")}`, { texts: { ...texts, [owner]: records } }]);
  const whenSole = (owner: keyof Site["texts"], record: string, better: string) =>
    texts[owner].length === 1 && texts[owner][0] === record ? [withTexts(owner, better)] : [];
  const whenNone = (owner: keyof Site["texts"], record: string) => (texts[owner].length === 0 ? [withTexts(owner, record)] : []);
  const sound = (Object.keys(soundTexts) as (keyof Site["texts"])[]).map((owner) => withTexts(owner, ...soundTexts[owner]));
  const parts: readonly (readonly [string, Part])[] = [
    ["redirect to https", { plainHttp: "redirects" }],
    ["CAA", { caa: flawlessSite.caa }],
    ["DNSSEC", { dnssec: "secure" }],
    ["DANE", { dane: true }],
    ["DNSSEC that is at least not broken", site.dnssec === "bogus" ? { dnssec: "insecure" } : {}],
    ["MTA-STS policy", { mtaStsPolicy: soundMtaStsPolicy }],
    ["security.txt", { securityTxt: soundSecurityTxt }],
    ["security.txt behind an accepted certificate", withSecurityTxtAt(site, "accepted")],
    [
      "a poor security.txt",
      site.securityTxt === null
        ? { securityTxt: { at: "root", contentType: "text/plain", body: "Contact: mailto:a@site.example\r\n", redirectedTo: null } }
        : {},
    ],
  ];
  return [
    ...parts.map((part) => changed(site, part)),
    ...sound,
    ...whenNone("@", "v=spf1 ?all"),
    ...whenNone("@", "v=spf1 nonsense"),
    ...whenNone("_dmarc", "v=DMARC1; p=none"),
    ...whenSole("_dmarc", "v=DMARC1; p=quarantine; sp=quarantine", "v=DMARC1; p=reject; sp=quarantine"),
    ...whenNone("_mta-sts", "v=STSv1; id="),
    ...whenNone("_smtp._tls", "v=TLSRPTv1; rua=nobody"),
  ];
}

function withSecurityTxtAt({ securityTxt }: Site, redirectedTo: "accepted" | "refused"): Part {
  return securityTxt === null ? {} : { securityTxt: { ...securityTxt, redirectedTo } };
}

function changed(site: Site, [name, part]: readonly [string, Part]): Change {
  return { name, after: { ...site, ...part } };
}

function withHeader(site: Site, name: string, value: string | undefined): Change {
  const { [name]: _before, ...others } = site.headers;
  const headers = value === undefined ? others : { ...others, [name]: [value] };
  return { name: `${name}: ${value ?? "removed"}`, after: { ...site, headers } };
}

function isSound({ headers }: Site, name: string): boolean {
  return Bun.deepEquals(headers[name], soundHeaders[name]);
}
