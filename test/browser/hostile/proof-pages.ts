/** Pages that are proven instead of scanned: they try to outlast the visits of a proof, or to get a better answer than they deserve. */
import { gzipSync } from "node:zlib";
import { type HostilePage, type HostileProof, otherHosts, page, script } from "./page.ts";

/** Above the largest document that a visit changes. */
const largeBytes = 40_000_000;
/** Uncompressed bytes of a document that is sent as some 200 KB. */
const bombBytes = 200_000_000;
const inlineScripts = 5_000;
const manyThings = 10_000;

const strict = { draft: "strict" } as const;
const strictly = (...told: readonly string[]): HostileProof => ({ plan: strict, told });
const withPolicy = (policy: string, ...told: readonly string[]): HostileProof => ({
  plan: { headers: [`Content-Security-Policy: ${policy}`] },
  told,
});

const heading = "<h1>Shop</h1><p>Words of the shop.</p>";
const inline = `${heading}<script>document.querySelector("h1").dataset.ran = "1"</script>`;
const whole = (body: string) => `<!doctype html><html><head><title>hostile</title></head><body>${body}</body></html>`;
/** Takes the browser no layout. */
const comment = (bytes: number) => `${heading}<!-- ${"x".repeat(bytes)} -->`;
const of = (count: number, html: (at: number) => string) => Array.from({ length: count }, (_, at) => html(at)).join("");

/** Pages that no two visits see alike, or that never end. */
const unsteady: readonly HostilePage[] = [
  page("proof-differs", "", {
    document: (visit) => whole(of(60, (at) => `<x-${visit}-${at}>word</x-${visit}-${at}><img src="/late?${visit}${at}" alt="">`)),
    proof: strictly("unknown differs"),
    inShortRun: true,
  }),
  page("proof-never-settles", script("setInterval(() => document.body.append(document.createElement('input')), 20)"), {
    ...{ loadMs: 0, proof: strictly("unknown never-settles") },
  }),
  page("proof-navigates", script("setTimeout(() => { location = '?' + Math.random(); }, 200)"), {
    ...{ loadMs: 0, proof: strictly("unknown never-settles") },
  }),
  page("proof-hangs", `${heading}<script>for (;;);</script>`, { loadMs: 0, proof: strictly("unknown not-read") }),
];

/** Documents that are large, compressed or in another encoding. */
const documents: readonly HostilePage[] = [
  page("proof-large-document", "", {
    document: () => whole(comment(largeBytes)),
    proof: strictly("unknown document-too-large"),
  }),
  page("proof-gzip-bomb", "", {
    document: () => gzipSync(whole(comment(bombBytes))),
    headers: { "content-encoding": "gzip" },
    proof: strictly("crashed", "unknown document-too-large"),
  }),
  page("proof-gzip", "", {
    document: () => gzipSync(whole(inline)),
    headers: { "content-encoding": "gzip" },
    proof: strictly("works, stopped"),
  }),
  page("proof-zstd", "", {
    document: () => Bun.zstdCompressSync(whole(inline)),
    headers: { "content-encoding": "zstd" },
    proof: strictly("works, stopped"),
  }),
  page("proof-utf-16", "", {
    document: () => Buffer.from(`\ufeff${whole(inline)}`, "utf16le"),
    headers: { "content-type": "text/html; charset=utf-16le" },
    proof: strictly("works, stopped"),
  }),
];

/** Pages with more than a policy or a list can name. */
const many: readonly HostilePage[] = [
  page("proof-inline-scripts", heading + of(inlineScripts, (at) => `<script>window.value = ${at}</script>`), {
    ...{ loadMs: 0, proof: strictly("works, stopped") },
  }),
  page("proof-requests", heading + of(manyThings, (at) => `<img src="/late?${at}" alt="">`), {
    ...{ loadMs: 0, proof: withPolicy("default-src 'self'; img-src 'none'", "unknown never-settles") },
  }),
  page("proof-violations", heading + of(manyThings, (at) => `<i style="margin: ${at}px">word</i>`), {
    ...{ loadMs: 0, proof: withPolicy("default-src 'self'; style-src 'none'", "blocks"), inShortRun: true },
  }),
  page("proof-frames", heading + of(300, (at) => `<iframe srcdoc="&lt;script&gt;parent.value = ${at}&lt;/script&gt;"></iframe>`), {
    // No nonce and no host stands for a script in the frame.
    ...{ loadMs: 0, proof: strictly("blocks") },
  }),
];

/** The function that canaries call is a global with a name of 22 random characters. */
const removing = `const remove = () => { for (const name of Object.getOwnPropertyNames(window)) if (/^[\\w-]{22}$/.test(name)) window[name] = () => {}; };
remove(); new MutationObserver(remove).observe(document, { subtree: true, childList: true });`;
const leaves = "location.replace('/late?0')";

/** Pages that notice the policy or the injected code. */
const watchful: readonly HostilePage[] = [
  page(
    "proof-leaves-when-blocked",
    `${heading}<script src="https://${otherHosts[1]}/proof-leaves-when-blocked/a.js" onerror="${leaves}"></script>`,
    {
      files: { "a.js": { type: "text/javascript", body: "window.loaded = true" } },
      ...{ loadMs: 0, proof: withPolicy("default-src 'self'; script-src 'self' 'unsafe-inline'", "blocks") },
    },
  ),
  page("proof-hears-violations", `${heading}${script(`document.addEventListener('securitypolicyviolation', () => ${leaves})`)}`, {
    ...{ loadMs: 0, proof: strictly("unknown reacts"), inShortRun: true },
  }),
  page(
    "proof-reads-own-policy",
    `${heading}${script("fetch(location).then(({ headers }) => { if (headers.has('content-security-policy')) document.querySelector('h1').remove(); })")}`,
    { loadMs: 0, proof: withPolicy("default-src 'self' 'unsafe-inline'", "unknown reacts") },
  ),
  page("proof-swallows-canaries", `${script("console.debug = () => {}")}${heading}`, {
    ...{ loadMs: 0, proof: withPolicy("default-src 'self' 'unsafe-inline'; frame-src 'none'", "works, runs") },
  }),
  page("proof-removes-canaries", `${script(removing)}${heading}`, {
    ...{ loadMs: 0, proof: withPolicy("default-src 'self' 'unsafe-inline'; frame-src 'none'", "unknown hides-code, runs") },
  }),
  page("proof-closes-itself", `${heading}${script("setInterval(() => close(), 100)")}`, {
    ...{ loadMs: 0, proof: strictly("works, stopped") },
  }),
  page("proof-asks", `${heading}${script("onbeforeunload = () => 'stay'; setInterval(() => alert('x'), 10)")}`, {
    ...{ loadMs: 0, proof: strictly("works, stopped") },
  }),
  page("proof-sends-form", `${heading}<form method="post" action="/sink"></form>${script("document.forms[0].submit()")}`, {
    ...{ loadMs: 0, proof: strictly("unknown not-read") },
  }),
];

export const proofPages: readonly HostilePage[] = [...unsteady, ...documents, ...many, ...watchful];
