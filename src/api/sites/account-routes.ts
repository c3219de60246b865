/** Every path about sites, notifications, and what agencies hand to their clients, with its handler. */
import type { HTTPMethod } from "elysia";
import {
  type AgencyApiSettings,
  brandPath,
  clientsPath,
  invitationsPath,
  membersPath,
  metricsTokenPath,
} from "../agency/agency-settings.ts";
import { createBrandHandlers } from "../agency/brand-handlers.ts";
import { createClientHandlers } from "../agency/client-handlers.ts";
import { createMemberHandlers } from "../agency/member-handlers.ts";
import { createMetricsTokenHandlers } from "../agency/metrics-token.ts";
import { type AccountHandler, channelsApiPath, deliveriesPath, eventsPath, rulesPath, sitesPath } from "./account-request.ts";
import { createBulkSiteChanges } from "./bulk-site-changes.ts";
import { createBulkSites } from "./bulk-sites.ts";
import { createChannelActions } from "./channel-actions.ts";
import { createChannelHandlers } from "./channel-handlers.ts";
import { createDeliveryHandlers } from "./delivery-handlers.ts";
import { createRuleHandlers } from "./rule-handlers.ts";
import { createSiteActions } from "./site-actions.ts";
import { createSiteHandlers } from "./site-handlers.ts";

type AccountRoute = readonly [method: HTTPMethod, path: string, handler: AccountHandler];

/** Other methods would take it for the path of a site. */
export const bulkSitesPath = `${sitesPath}/bulk`;
const scanSitesPath = `${bulkSitesPath}/scan`;

export function accountRoutes(settings: AgencyApiSettings): readonly AccountRoute[] {
  const sites = createSiteHandlers(settings);
  const actions = createSiteActions(settings);
  const bulk = { ...createBulkSites(settings), ...createBulkSiteChanges(settings) };
  const channels = { ...createChannelHandlers(settings), ...createChannelActions(settings) };
  const rules = createRuleHandlers(settings);
  const deliveries = createDeliveryHandlers(settings);
  const [site, channel, rule, delivery] = [sitesPath, channelsApiPath, rulesPath, deliveriesPath].map((path) => `${path}/:id`);
  return [
    ["GET", sitesPath, sites.list],
    ["POST", sitesPath, sites.add],
    ["POST", bulkSitesPath, bulk.add],
    ["PATCH", bulkSitesPath, bulk.change],
    ["DELETE", bulkSitesPath, bulk.remove],
    ["POST", scanSitesPath, bulk.scan],
    ["GET", `${site}`, sites.read],
    ["PATCH", `${site}`, sites.change],
    ["DELETE", `${site}`, sites.remove],
    ["POST", `${site}/scan`, actions.scan],
    ["GET", `${site}/events`, actions.events],
    ["GET", `${site}/history`, actions.history],
    ["PUT", `${site}/accepted/:code`, actions.accept],
    ["DELETE", `${site}/accepted/:code`, actions.unaccept],
    ["GET", channelsApiPath, channels.list],
    ["POST", channelsApiPath, channels.add],
    ["GET", `${channel}`, channels.read],
    ["PATCH", `${channel}`, channels.change],
    ["DELETE", `${channel}`, channels.remove],
    ["POST", `${channel}/test`, channels.test],
    ["POST", `${channel}/rotate-secret`, channels.rotateSecret],
    ["POST", `${channel}/enable`, channels.enable],
    ["POST", `${channel}/disable`, channels.disable],
    ["POST", `${channel}/confirmation`, channels.confirm],
    ["GET", rulesPath, rules.list],
    ["POST", rulesPath, rules.add],
    ["GET", `${rule}`, rules.read],
    ["PATCH", `${rule}`, rules.change],
    ["DELETE", `${rule}`, rules.remove],
    ["GET", deliveriesPath, deliveries.list],
    ["GET", `${delivery}`, deliveries.read],
    ["POST", `${delivery}/retry`, deliveries.retry],
    ["GET", eventsPath, deliveries.events],
    ...agencyRoutes(settings),
  ];
}

function agencyRoutes(settings: AgencyApiSettings): readonly AccountRoute[] {
  const brand = createBrandHandlers(settings);
  const members = createMemberHandlers(settings);
  const clients = createClientHandlers(settings);
  const metricsToken = createMetricsTokenHandlers(settings);
  return [
    ["GET", brandPath, brand.read],
    ["PUT", brandPath, brand.save],
    ["DELETE", brandPath, brand.remove],
    ["GET", `${brandPath}/logo`, brand.readLogo],
    ["PUT", `${brandPath}/logo`, brand.saveLogo],
    ["DELETE", `${brandPath}/logo`, brand.removeLogo],
    ["GET", membersPath, members.list],
    ["PATCH", `${membersPath}/:id`, members.change],
    ["DELETE", `${membersPath}/:id`, members.remove],
    ["GET", invitationsPath, members.invitations],
    ["POST", invitationsPath, members.invite],
    ["DELETE", `${invitationsPath}/:email`, members.withdraw],
    ["GET", clientsPath, clients.list],
    ["GET", `${clientsPath}/:name/report.pdf`, clients.readPdf],
    ["GET", `${clientsPath}/:name/report.html`, clients.readHtml],
    ["POST", metricsTokenPath, metricsToken.issue],
    ["DELETE", metricsTokenPath, metricsToken.revoke],
  ];
}
