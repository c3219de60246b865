/** Public addresses by which a policy that trusts their host can be got around; the lists are those of csp_evaluator. */
import { URLS as angularUrls } from "csp_evaluator/dist/allowlist_bypasses/angular.js";
import { URLS as jsonpUrls, NEEDS_EVAL as needsEval } from "csp_evaluator/dist/allowlist_bypasses/jsonp.js";

export interface ScriptBypass {
  /** `jsonp`: answers with a call to a function that the asker names. `angular`: a library that runs what stands in the document. */
  readonly kind: "jsonp" | "angular";
  readonly url: URL;
  /** Only of use where a policy allows eval. */
  readonly needsEval: boolean;
}

export const scriptBypasses: readonly ScriptBypass[] = [...listed("jsonp", jsonpUrls), ...listed("angular", angularUrls)];

/** The lists name no scheme; every https page can load them by https. */
function listed(kind: ScriptBypass["kind"], urls: readonly string[]): readonly ScriptBypass[] {
  return urls.flatMap((text) => {
    const url = URL.parse(`https:${text}`);
    return url === null ? [] : [{ kind, url, needsEval: kind === "jsonp" && needsEval.includes(url.hostname) }];
  });
}
