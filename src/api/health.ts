/** For whoever watches over the appliance: is the process alive, and can it do its work? */
import { answer } from "./answer.ts";
import { notReady } from "./errors.ts";
import { routeGroup } from "./request-context.ts";

/** `because` is one short clause for the operator, such as "the browser does not start". */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly because: string };

const ok = JSON.stringify({ status: "ok" });

export function healthRoutes({ ready }: { readonly ready: () => Readiness }) {
  return routeGroup("health")
    .get("/healthz", ({ requestContext }) => answer(requestContext, 200, ok))
    .get("/readyz", ({ requestContext }) => {
      const readiness = ready();
      if (!readiness.ready) throw notReady(readiness.because);
      return answer(requestContext, 200, ok);
    });
}
