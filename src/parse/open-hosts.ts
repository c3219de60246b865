/**
 * Hosts on which anyone can publish: names below a public suffix, and the listed hosts, which serve files of many publishers. A policy that
 * allows such a host allows all of these publishers.
 */
import { isRentedSuffix } from "./site.ts";

/** A host that serves files of many publishers, one of whom anyone can become. */
export interface OpenHost {
  /** Lower case. `*` stands for one label, at the beginning for any labels. */
  readonly host: string;
  /** Folder below which each publisher has a path; ends with a slash, or is `/npm:` of jspm.io. */
  readonly path: string;
  /** `scripts`: only files, which other sites may load. `pages`: also documents, which may show other sites in a frame. */
  readonly serves: "scripts" | "pages";
  /** Where the operator of the host describes it. */
  readonly source: string;
}

const jsdelivr = "https://www.jsdelivr.com/documentation";
const githack = "https://raw.githack.com/";
const gists = "https://docs.github.com/en/get-started/writing-on-github/editing-and-sharing-content-with-gists/creating-gists";
const s3 = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html";
const cloudStorage = "https://cloud.google.com/storage/docs/request-endpoints";

const scripts: readonly (readonly [host: string, path: string, source: string])[] = [
  // Packages of a registry to which anyone can publish.
  ["unpkg.com", "/", "https://unpkg.com/"],
  ...["cdn", "fastly", "gcore", "testingcf"].flatMap((name) =>
    ["/npm/", "/gh/", "/wp/", "/combine/"].map((path) => [`${name}.jsdelivr.net`, path, jsdelivr] as const),
  ),
  ["esm.run", "/", jsdelivr],
  ["esm.sh", "/", "https://esm.sh/"],
  ["cdn.skypack.dev", "/", "https://docs.skypack.dev/"],
  ["ga.jspm.io", "/npm:", "https://jspm.org/cdn"],
  ["jspm.dev", "/", "https://jspm.org/cdn/jspm-dev"],
  ["registry.npmmirror.com", "/", "https://npmmirror.com/"],
  ["deno.land", "/x/", "https://deno.land/x"],
  // Files of repositories and snippets.
  [
    "raw.githubusercontent.com",
    "/",
    "https://docs.github.com/en/repositories/working-with-files/using-files/viewing-and-understanding-files",
  ],
  ["gist.githubusercontent.com", "/", gists],
  ["gist.github.com", "/", gists],
  ["gitlab.com", "/", "https://docs.gitlab.com/user/snippets/"],
  ...["/gh/", "/gl/", "/bb/"].map((path) => ["cdn.statically.io", path, "https://statically.io/docs/"] as const),
  ["script.google.com", "/macros/", "https://developers.google.com/apps-script/guides/content"],
];

const pages: typeof scripts = [
  // Buckets whose name stands in the path.
  ["s3.amazonaws.com", "/", s3],
  ["s3.*.amazonaws.com", "/", s3],
  ["s3.dualstack.*.amazonaws.com", "/", s3],
  ["storage.googleapis.com", "/", cloudStorage],
  ["commondatastorage.googleapis.com", "/", cloudStorage],
  ["firebasestorage.googleapis.com", "/v0/b/", "https://firebase.google.com/docs/storage/web/download-files"],
  ["objectstorage.*.oraclecloud.com", "/n/", "https://docs.oracle.com/en-us/iaas/Content/Object/Tasks/managingobjects.htm"],
  ["s3.wasabisys.com", "/", "https://docs.wasabi.com/docs/what-are-the-service-urls-for-wasabis-different-storage-regions"],
  ["s3.*.wasabisys.com", "/", "https://docs.wasabi.com/docs/what-are-the-service-urls-for-wasabis-different-storage-regions"],
  ["s3.*.backblazeb2.com", "/", "https://www.backblaze.com/docs/cloud-storage-s3-compatible-api"],
  ["*.digitaloceanspaces.com", "/", "https://docs.digitalocean.com/products/spaces/"],
  // Files of repositories and snippets, with the type of their names.
  ...["raw", "rawcdn", "gl", "glcdn", "bb", "bbcdn", "gist", "gistcdn"].map((name) => [`${name}.githack.com`, "/", githack] as const),
  // Domains of customers that the public suffix list lacks, or that stand below a domain of which it has only parts.
  ["*.global.ssl.fastly.net", "/", "https://www.fastly.com/documentation/guides/concepts/routing-traffic-to-fastly"],
  ["*.blob.core.windows.net", "/", "https://learn.microsoft.com/azure/storage/blobs/storage-blob-static-website"],
  ["*.cloudapp.azure.com", "/", "https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-addresses"],
  ["*.googleusercontent.com", "/", "https://developers.google.com/apps-script/guides/content"],
  ["*.b-cdn.net", "/", "https://docs.bunny.net/docs/cdn"],
  // Files of the InterPlanetary File System.
  ["ipfs.io", "/ipfs/", "https://docs.ipfs.tech/concepts/ipfs-gateway/"],
  ["dweb.link", "/ipfs/", "https://docs.ipfs.tech/concepts/ipfs-gateway/"],
  ["gateway.pinata.cloud", "/ipfs/", "https://docs.pinata.cloud/gateways"],
  ["arweave.net", "/", "https://docs.arweave.org/developers/arweave-node-server/http-api"],
  ["dl.dropboxusercontent.com", "/", "https://help.dropbox.com/share/force-download"],
];

export const openHosts: readonly OpenHost[] = [
  ...scripts.map(([host, path, source]) => ({ host, path, source, serves: "scripts" as const })),
  ...pages.map(([host, path, source]) => ({ host, path, source, serves: "pages" as const })),
];

/** True if the names below `parent` are of different people: a public suffix, or a name of which all children are suffixes. */
export function isOpenBelow(parent: string): boolean {
  return isRentedSuffix(parent) || isRentedSuffix(`x.${parent}`);
}

/**
 * The open host that a source expression `[host][path]` allows, for example `*.amazonaws.com` or `unpkg.com`; null if it allows none, or
 * only paths of one publisher. Host and path as in `CspHostSource`.
 */
export function openHostIn({ host, path }: { readonly host: string; readonly path: string }): OpenHost | null {
  return openHosts.find((open) => namesMeet(host, open.host) && isFolderOf(path, open.path)) ?? null;
}

/**
 * True for the origin, as browsers write it (HTML standard, "serialization of an origin"), of a host on which anyone can publish documents:
 * the scripts of all of them have this origin. A host of one publisher, such as `https://acme.vercel.app`, is not open.
 */
export function isOpenOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text || url.port !== "" || text.includes("*")) return false;
  return openHostIn({ host: url.hostname, path: "" })?.serves === "pages";
}

/** Listed domain at or below `domain` whose names belong to different owners, such as `b-cdn.net`; null without one. */
export function domainOfTenants(domain: string): string | null {
  const open = openHosts.find(({ host }) => host.startsWith("*.") && host.endsWith(`.${domain}`));
  return open?.host.slice(2) ?? null;
}

/** Whether a host exists that both patterns match. */
function namesMeet(allowed: string, open: string): boolean {
  const isBelow = open.startsWith("*.");
  if (allowed.startsWith("*.")) return (isBelow ? open.slice(1) : open).endsWith(allowed.slice(1));
  if (isBelow) return false;
  const labels = allowed.split(".");
  const wanted = open.split(".");
  return labels.length === wanted.length && wanted.every((label, at) => label === "*" || label === labels[at]);
}

/** CSP3 section 6.7.2.12: without a path, or with one that ends in a slash, the expression allows all that is below. */
function isFolderOf(allowed: string, open: string): boolean {
  return allowed === "" || (allowed.endsWith("/") && open.toLowerCase().startsWith(allowed.toLowerCase()));
}
