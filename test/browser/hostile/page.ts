/** What a hostile page is, and the pieces of script that several pages share. */

/** A file that a page requests below its own path. */
export interface PageFile {
  readonly type: string;
  readonly body: string | (() => Uint8Array);
  readonly headers?: Readonly<Record<string, string>>;
}

/** A proof of the page, which is asked for in place of a scan. */
export interface HostileProof {
  /** As `POST /api/v1/proofs` takes it, beside the address. */
  readonly plan: { readonly draft: string } | { readonly headers: readonly string[] };
  /**
   * Answers that are true of the page: the verdict, with its reason after a space, or the code of an error. `, runs` or `, stopped` follows
   * where injected code shows something.
   */
  readonly told: readonly string[];
}

export interface HostilePage {
  /** Name in the report, and last part of the page's path. */
  readonly name: string;
  /** Content of the body element. */
  readonly body: string;
  /** The whole document in place of `body`. `visit`: number of the request, from 1 on. */
  readonly document?: (visit: number) => string | Uint8Array;
  readonly proof?: HostileProof;
  readonly headers?: Readonly<Record<string, string>>;
  /** Files by name, at `/NAME/FILE`. */
  readonly files?: Readonly<Record<string, PageFile>>;
  /** Time until the load event, in which the page works; an image delays it. */
  readonly loadMs?: number;
  /** Whether the short run has this page. */
  readonly inShortRun?: true;
}

/** Host of the pages, and hosts of other sites with the same content. */
export const hostileHost = "hostile.test";
const otherHostsMax = 40;
export const otherHosts: readonly string[] = Array.from({ length: otherHostsMax }, (_, at) => `other-${at}.test`);

/** Makes the page cross-origin isolated, which SharedArrayBuffer needs. */
export const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

/** Declares `megabytes(n)`, touched memory outside the heap, and `grow(make)`, which keeps what `make` returns and never ends. */
const prelude = `const keep = [];
const megabytes = (n) => new Uint8Array(n * 1048576).fill(1);
const grow = (make, ms = 5) => { const step = async () => { try { keep.push(await make(keep.length)); } catch {} setTimeout(step, ms); }; step(); };
`;

/** A script element that runs the code with the prelude. */
export function script(code: string): string {
  return `<script>${prelude}${code}</script>`;
}

/** Expression that starts a worker with the prelude and the code. */
export function worker(code: string): string {
  return `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(prelude + code)}])))`;
}

/** Code that starts `count` workers with the code, and keeps them. */
export function workers(count: number, code: string): string {
  return `for (let i = 0; i < ${count}; i++) keep.push(${worker(code)});`;
}

export function page(name: string, body: string, more: Omit<HostilePage, "name" | "body"> = {}): HostilePage {
  return { name, body, ...more };
}
