/** A real nginx with TLS in front of an application. It sends the given headers, and removes those that the application sends. */
import type { ReplacedHeader } from "../../../src/probe/browser/page-fetch.ts";
import { nonceMark } from "../../../src/prove/draft.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { startLandmarkNginx } from "../landmark-nginx.ts";

export interface Fronted {
  readonly host: string;
  /** Lines of nginx for the location of all paths: where the application answers, or where its files are. */
  readonly location: string;
}

/** Lines that pass requests on to a server of this machine. */
export function passedTo(url: string): string {
  return `proxy_pass ${url};
proxy_http_version 1.1;
proxy_set_header Host $host;
proxy_set_header X-Forwarded-Proto https;
proxy_set_header Accept-Encoding "";`;
}

/** Lines for a single-page application: any path without a file is the application. */
export function filesIn(folder: string): string {
  return `root ${folder};\ntry_files $uri /index.html;`;
}

/** `headers` as a proof gives them to copy. Port 80 redirects. */
export function startFront({ host, location }: Fronted, headers: readonly ReplacedHeader[]) {
  const named = `server_name ${host};`;
  const lines = [named, "location / {", location, ...headers.flatMap(headerLines), ...nonceLines(headers), "}"];
  return startLandmarkNginx({
    identity: siteIdentity(host),
    secure: [lines.join("\n")],
    plain: [`${named}\nreturn 301 https://$host$request_uri;`],
    general: `include /etc/nginx/mime.types;\nproxy_buffer_size 32k;\nproxy_buffers 8 32k;\n${nonces}`,
  });
}

function headerLines({ name, value }: ReplacedHeader): readonly string[] {
  const hidden = `proxy_hide_header ${name};`;
  return value === null ? [hidden] : [hidden, `add_header ${name} "${value.replaceAll(nonceMark, "$page_nonce")}" always;`];
}

/** The nonce that the policy of the application names, else a new one in each answer, which is written into its elements. */
const nonces = `map $upstream_http_content_security_policy $page_nonce {
default $request_id;
"~'nonce-(?<own>[^']+)'" $own;
}
map $upstream_http_content_type $quote {
default "";
"~xhtml" '"';
}
map $upstream_http_content_security_policy $written_nonce {
default " nonce=$quote$request_id$quote ";
"~'nonce-" "";
}`;

/** HTML in the text of a script has quotes, and XHTML needs them. */
function nonceLines(headers: readonly ReplacedHeader[]): readonly string[] {
  if (!headers.some(({ value }) => value?.includes(nonceMark))) return [];
  return [
    "sub_filter_once off;",
    "sub_filter_types application/xhtml+xml;",
    ...["script", "style", "link"].map((name) => `sub_filter "<${name}" "<${name}$written_nonce";`),
  ];
}
