/** Token with which a monitoring system reads the metrics of the account's sites, at `/metrics/sites`. */
import { callingAccount } from "../own-scan.ts";
import { type AccountRequest, answerJson, answerNothing } from "../sites/account-request.ts";
import { recordNotFound } from "../sites/site-errors.ts";
import { written } from "../writing.ts";
import type { AgencyApiSettings } from "./agency-settings.ts";

export function createMetricsTokenHandlers({ store: { metricsTokens } }: AgencyApiSettings) {
  return { issue, revoke };

  /** The earlier token ends. The new one is in this answer, and in no other. */
  async function issue(given: AccountRequest): Promise<Response> {
    const token = await written(() => metricsTokens.issue(callingAccount(given.requestContext).id));
    return answerJson(given, 201, { token });
  }

  async function revoke(given: AccountRequest): Promise<Response> {
    const { id } = callingAccount(given.requestContext);
    if (!metricsTokens.has(id)) throw recordNotFound("token");
    await written(() => metricsTokens.revoke(id));
    return answerNothing(given);
  }
}
