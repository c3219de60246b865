/** What the server answers from its first second until API and pages are open. */
import type { NotReadyReason, StoreCheckProgress } from "../api/health.ts";
import { createStartingApi } from "../api/health.ts";
import { combineHandlers, type HttpHandler } from "../http/server.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import { createStartingPages } from "../web/starting-page.tsx";
import type { Config } from "./settings.ts";

/** A check takes about a second for 100 MB. */
const retryAfterSeconds = 5;

export interface Startup {
  readonly handler: HttpHandler;
  /** State of the check of the whole store; null while there is none. */
  noteCheck(progress: StoreCheckProgress | null): void;
}

export function createStartup(config: Config): Startup {
  let check: StoreCheckProgress | null = null;
  let texts: Texts | undefined;
  const api = createStartingApi({ reasons: () => [reasonOf(check)], retryAfterSeconds });
  const pages = createStartingPages({
    texts: () => {
      texts ??= createTexts({ "en-gb": {}, "de-de": {} });
      return texts;
    },
    defaultLocale: config["locale.default"],
    percent: () => check?.percent ?? null,
    retryAfterSeconds,
  });
  return {
    handler: combineHandlers({ api, pages }),
    noteCheck: (progress) => {
      check = progress;
    },
  };
}

function reasonOf(progress: StoreCheckProgress | null): NotReadyReason {
  if (progress === null) return { source: "start", because: "the server is starting" };
  return { source: "store", because: `the store is checked after an end out of order, ${progress.percent} % so far`, progress };
}
