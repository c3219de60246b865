/** Guard of the routes that show scans, for the setting `readers`. */
import { signInRedirect } from "./account/sign-in/session-cookie.ts";
import { signInFirst } from "./errors.ts";
import type { PageRoute } from "./routes.ts";
import { mayRead, type PageHandler } from "./visit.ts";

/**
 * Answers readers only. Others learn nothing of a scan, not even whether it exists: they are refused before it is looked for.
 * The handler throws PageError 401 where no sign-in page is of use.
 */
export function forReaders({ audience, isData }: Omit<PageRoute, "get" | "post">, handler: PageHandler): PageHandler {
  if (audience !== "readers") return handler;
  return (visit, param) => {
    if (visit.settings.readers === "everybody") return handler(visit, param);
    if (mayRead(visit)) return withoutCopies(handler(visit, param));
    if (visit.request.method === "POST" || isData?.(param) === true) throw signInFirst();
    return signInRedirect(visit);
  };
}

/** No proxy and no browser may show the answer again after signing out. No page of another site may embed it. */
async function withoutCopies(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("cache-control", "no-store");
  response.headers.set("cross-origin-resource-policy", "same-origin");
  return response;
}
