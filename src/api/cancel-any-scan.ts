/** `POST /api/v1/admin/scans/{token}/cancel`: administrators end any scan that is not over. */
import type { CancelAnyScan } from "../evidence/scan.ts";
import { answer } from "./answer.ts";
import { administratorsOnly, scanNotFound, scanOver } from "./errors.ts";
import { callingAccount } from "./own-scan.ts";
import type { RequestContext } from "./request-context.ts";

export function createCancelAnyScan(cancelScan: CancelAnyScan) {
  /** @throws ApiError 403 for other accounts, 404, 409 */
  return async (token: string, requestContext: RequestContext): Promise<Response> => {
    const account = callingAccount(requestContext);
    if (!account.admin) throw administratorsOnly();
    const outcome = await cancelScan(token, account);
    if (outcome === "unknown") throw scanNotFound();
    if (outcome === "over") throw scanOver();
    return answer(requestContext, 204, null);
  };
}
