/** Facts of the page probe: what the browser saw. */
import type { Hop, HttpAnswer } from "./http-facts.ts";

/** Path of the browser to the page. */
export interface NavigationFacts {
  /** Redirect answers in order; empty if the first URL was not redirected. */
  readonly hops: readonly Hop[];
  readonly finalUrl: string;
  readonly finalStatus: number;
  /** Address that the SSRF guard pinned for the final host; null if the browser did not connect. */
  readonly remoteAddress: string | null;
  /** Connection parameters negotiated with the final host; null over plain http. */
  readonly security: {
    /** Chromium's name, for example `TLS 1.3`. */
    readonly protocol: string;
    readonly cipher: string;
    /** Key exchange of TLS 1.2 and older; empty for TLS 1.3. */
    readonly keyExchange: string;
    readonly certificateTransparency: "compliant" | "not-compliant" | "unknown";
  } | null;
  /** The final answer if its status is 4xx. The `page` reading then fails, but these header fields come from the server. */
  readonly errorAnswer?: HttpAnswer;
}

/** Set-Cookie line of a first-party response, with the value replaced by `<redacted>`. */
export interface SetCookieLine {
  readonly host: string;
  /** True if the line was received over https. */
  readonly overHttps: boolean;
  /** Name, `=`, `<redacted>` and the attributes as sent; at most `headerValueCharsMax` characters. */
  readonly line: string;
  readonly truncated: boolean;
  /** Estimated random bits of the value, from below. Absent for none, for cut lines, and in evidence of older versions. */
  readonly valueRandomBits?: number;
}

/** Answer with the main document. */
export interface PageFacts extends HttpAnswer {
  /** Lower-case media type from the browser, without parameters, at most `headerValueCharsMax` characters; null if absent. */
  readonly mediaType: string | null;
  /** Lines of the main document and its redirects by arrival, then those of first-party subresources by URL. */
  readonly setCookies: readonly SetCookieLine[];
  /** Number of lines beyond `setCookieLinesMax` that were dropped, and of answers whose lines the browser never reported. */
  readonly setCookiesDropped: number;
}

export interface MetaElement {
  /** Lower-case `http-equiv`, or null. */
  readonly httpEquiv: string | null;
  /** Lower-case `name`, or null. */
  readonly name: string | null;
  readonly content: string;
  readonly truncated: boolean;
}

export interface Subresource {
  readonly url: string;
  /** Element kind, not file type. */
  readonly kind: "script" | "style" | "preload" | "other";
  /** The integrity attribute as written; null if absent. */
  readonly integrity: string | null;
  /** The crossorigin attribute as written (`""` means anonymous); null if absent. */
  readonly crossOrigin: string | null;
  /** True for the same registrable domain as the page. */
  readonly sameSite: boolean;
  /** True for the same scheme, host and port as the page. */
  readonly sameOrigin: boolean;
}

/** DOM as the browser built it, after load and a settling time. */
export interface DomFacts {
  /** Only these: http-equiv content-security-policy* in the head, content-type, name referrer, and charset (as `name: "charset"`). */
  readonly metas: readonly MetaElement[];
  readonly metasDropped: number;
  readonly subresources: readonly Subresource[];
  readonly subresourcesDropped: number;
  /** Absolute action URL and method of each form, in document order. */
  readonly forms: readonly { readonly action: string; readonly method: string }[];
  readonly formsDropped: number;
  readonly title: string;
}

/** Requests of the page apart from the main document. */
export interface RequestsFacts {
  readonly total: number;
  /** Requests over plain http (or ws) from a page served over https. */
  readonly insecure: readonly {
    readonly url: string;
    /** Chromium's resource type in lower case: script, stylesheet, image, media, font, xhr, fetch, websocket, document ... */
    readonly kind: string;
    readonly outcome: "loaded" | "blocked" | "upgraded";
  }[];
  readonly insecureDropped: number;
  /** Subresources that the browser blocked because of an integrity mismatch. */
  readonly integrityBlocked: readonly string[];
}

/** Coverage of names by the HSTS preload list of browsers. The optional fields are absent for names that no list can contain. */
export interface HstsPreloadFacts {
  readonly hostPreloaded: boolean;
  readonly registrableDomainPreloaded: boolean;
  /** Whether names below the host are covered too. Absent for a host that is not preloaded, and if only the browser has it. */
  readonly subdomainsPreloaded?: boolean;
  /** The newer source: the browser's built-in list, if the browser reveals it, or the list file. */
  readonly decidedBy?: "browser" | "list";
  /** Date of the list file, `YYYY-MM-DD`. */
  readonly listDate?: string;
  /** True if the browser revealed its list, and the two sources differ. */
  readonly sourcesDiffer?: boolean;
}
