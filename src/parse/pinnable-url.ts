/** Decides whether the content behind a URL can stay the same, so that a hash of it stays true. */
import { hostOf } from "./site.ts";

/** Hosts of package archives: every file is there under an exact version too, even if the URL names none. */
const packageHosts: readonly string[] = [
  "ajax.aspnetcdn.com",
  "ajax.googleapis.com",
  "cdn.bootcdn.net",
  "cdn.bootcss.com",
  "cdn.jsdelivr.net",
  "cdn.skypack.dev",
  "cdn.staticfile.org",
  "cdnjs.cloudflare.com",
  "code.jquery.com",
  "esm.sh",
  "fastly.jsdelivr.net",
  "ga.jspm.io",
  "lib.baomitu.com",
  "maxcdn.bootstrapcdn.com",
  "netdna.bootstrapcdn.com",
  "stackpath.bootstrapcdn.com",
  "unpkg.com",
  "use.fontawesome.com",
];
/** A number of an account, not of a version or of content. */
const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const exactVersion = /(?<![\d.])v?\d+\.\d+/i;
/** Hash of the content in a file name, as bundlers write it: at least 8 hexadecimal digits in lower case, letters and numbers. */
const contentHash = /(?<![\dA-Za-z])(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{8,64}(?![\dA-Za-z])/;

/** True if the URL names an exact version or a hash of the content. Package archives offer every file under an exact version. */
export function isPinnableUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const named = (parsed.pathname + parsed.search).replace(uuid, "");
  return packageHosts.includes(hostOf(url) ?? "") || exactVersion.test(named) || contentHash.test(named);
}
