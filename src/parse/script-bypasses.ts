/** Public script URLs that bypass a policy which trusts their host; lists from csp_evaluator. */
import { URLS as angularUrls } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as jsonpUrls, NEEDS_EVAL as needsEval } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";
// The package does not export this file.
import about from "../../node_modules/csp_evaluator/package.json" with { type: "json" };

export interface ScriptBypass {
  /** `jsonp`: calls a function that the request names. `angular`: a library that evaluates expressions in the document. */
  readonly kind: "jsonp" | "angular";
  readonly url: URL;
  /** True if the bypass also requires that the policy allows eval. */
  readonly needsEval: boolean;
}

/** Version of csp_evaluator, from which the lists are. */
export const scriptBypassesRelease: string = about.version;

export const scriptBypasses: readonly ScriptBypass[] = [...bypassesFrom("jsonp", jsonpUrls), ...bypassesFrom("angular", angularUrls)];

/** The lists omit the scheme; an https page can load all of them over https. */
function bypassesFrom(kind: ScriptBypass["kind"], urls: readonly string[]): readonly ScriptBypass[] {
  return urls.flatMap((text) => {
    const url = URL.parse(`https:${text}`);
    return url === null ? [] : [{ kind, url, needsEval: kind === "jsonp" && needsEval.includes(url.hostname) }];
  });
}
