/** All bodies of the API by name, for its description. */
import { agencyModels } from "./agency/agency-models.ts";
import { models } from "./schemas.ts";
import { bulkSiteModels } from "./sites/bulk-models.ts";
import { notificationModels } from "./sites/notification-models.ts";
import { siteModels } from "./sites/site-models.ts";

export const apiModels = { ...models, ...siteModels, ...bulkSiteModels, ...notificationModels, ...agencyModels };

export type ModelName = keyof typeof apiModels;
