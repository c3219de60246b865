/** Public script URLs that bypass a policy which trusts their host; lists from csp_evaluator. */
import { URLS as angularUrls } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as jsonpUrls, NEEDS_EVAL as needsEval } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";

export interface ScriptBypass {
  /** `jsonp`: calls a function that the request names. `angular`: a library that evaluates expressions in the document. */
  readonly kind: "jsonp" | "angular";
  readonly url: URL;
  /** True if the bypass also requires that the policy allows eval. */
  readonly needsEval: boolean;
}

export const scriptBypasses: readonly ScriptBypass[] = [...bypassesFrom("jsonp", jsonpUrls), ...bypassesFrom("angular", angularUrls)];

/** The lists omit the scheme; an https page can load all of them over https. */
function bypassesFrom(kind: ScriptBypass["kind"], urls: readonly string[]): readonly ScriptBypass[] {
  return urls.flatMap((text) => {
    const url = URL.parse(`https:${text}`);
    return url === null ? [] : [{ kind, url, needsEval: kind === "jsonp" && needsEval.includes(url.hostname) }];
  });
}
