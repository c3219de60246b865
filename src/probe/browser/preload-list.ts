/** HSTS preload list of this thread: the operator's file, or else the embedded one, which is unpacked when first used. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { PreloadLines } from "../../parse/preload-list.ts";
import embeddedFile from "./hsts-preload-2026-06-01.tsv.gz" with { type: "file" };

export interface PreloadList extends PreloadLines {
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** A test compares it with the name of the file. */
export const embeddedPreloadDate = "2026-06-01";

let current: PreloadList | null = null;

/** Null selects the embedded list. */
export function usePreloadList(list: PreloadList | null): void {
  current = list;
}

export function preloadList(): PreloadList {
  current ??= { date: embeddedPreloadDate, bytes: gunzipSync(readFileSync(embeddedFile)) };
  return current;
}
