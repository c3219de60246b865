/** All operations of the API, in the order of its description. */
import { brandOperations, clientOperations, memberOperations } from "./agency.ts";
import { channelOperations } from "./channels/channels.ts";
import { deliveryOperations } from "./channels/deliveries.ts";
import { ruleOperations } from "./channels/rules.ts";
import { checkedOperations } from "./operation.ts";
import { proofOperations } from "./proofs.ts";
import { checkList, reportFile, scanList, scanReads } from "./scans/reads.ts";
import { administratorOperations, scanStarts } from "./scans/starts.ts";
import { bulkSiteOperations } from "./sites/bulk.ts";
import { siteOperations } from "./sites/sites.ts";

export const apiOperations = checkedOperations([
  ...scanStarts,
  scanList,
  ...scanReads,
  reportFile,
  checkList,
  ...proofOperations,
  ...siteOperations,
  ...bulkSiteOperations,
  ...channelOperations,
  ...ruleOperations,
  ...deliveryOperations,
  ...brandOperations,
  ...memberOperations,
  ...clientOperations,
  ...administratorOperations,
]);
