/** Operations on channels, rules, deliveries and events, for the OpenAPI description. */
import { Type } from "@sinclair/typebox";
import { channelsMax } from "../../store/channels.ts";
import { rulesMax } from "../../store/notification-rules.ts";
import { bodyBytesMax } from "../body.ts";
import { given, json, parameters, refusals, refused, retryAfter, tooLong } from "../openapi-parts.ts";
import { ListQuery } from "../schemas.ts";
import {
  channelAddedExample,
  channelConfirmationExample,
  channelExample,
  channelListExample,
  channelTestExample,
  channelWithSecretExample,
  deliveryExample,
  deliveryListExample,
  eventListExample,
  ruleExample,
  ruleListExample,
} from "./examples.ts";
import { badListQuery, diskFull } from "./site-operations.ts";

const tags = ["notifications"];
const idParams = (of: string, example: number) =>
  parameters("path", Type.Object({ id: Type.Integer({ minimum: 1, description: `Id of the ${of}.`, examples: [example] }) }));
const notFound = (of: string) => ({
  404: refused(`There is no such ${of}, or it is another account's: both answer alike.`, `There is no such ${of}.`),
});
const bodyTooLong = { 413: tooLong(bodyBytesMax) };
const location = (of: string) => ({ Location: { description: `Path of the ${of}.`, schema: { type: "string" } } });

const ofChannel = idParams("channel", 3);
const noChannel = notFound("channel");
const tooMany = {
  429: refused(
    "Too many requests, or too many tests or confirmations of channels in this hour.",
    "Too many such messages in this hour; try again later.",
    undefined,
    retryAfter,
  ),
};
const noMail = "This appliance cannot send mail: its operator has not set smtp.url.";
const badTarget = refused(
  "The body is not valid, and fieldErrors says why. Unknown fields are refused.",
  "target must be a mail address.",
  {
    target: ["must be a mail address"],
  },
);

const listChannels = {
  operationId: "listChannels",
  tags,
  summary: "List your account's channels",
  responses: { 200: given("All channels, oldest first.", "ChannelList", channelListExample), ...refusals },
};

const addChannel = {
  operationId: "addChannel",
  tags,
  summary: "Add a channel",
  description: [
    "The secret of a webhook is in this answer, and only here. A mail address gets a link to confirm it,",
    "and nothing else before: `confirmation` says whether the mail was sent.",
  ].join(" "),
  requestBody: { required: true, content: json("ChannelRequest") },
  responses: {
    201: given("The channel.", "ChannelAdded", channelAddedExample, location("channel")),
    400: badTarget,
    ...refusals,
    409: refused(`The appliance cannot send mail, or the account has ${channelsMax} channels.`, noMail),
    ...bodyTooLong,
    ...diskFull,
  },
};

const readChannel = {
  operationId: "readChannel",
  tags,
  summary: "Read a channel",
  parameters: ofChannel,
  responses: { 200: given("The channel, without its secret.", "Channel", channelExample), ...refusals, ...noChannel },
};

const changeChannel = {
  operationId: "changeChannel",
  tags,
  summary: "Change a channel",
  description: "A webhook keeps its secret. Another mail address must be confirmed anew, as in addChannel.",
  parameters: ofChannel,
  requestBody: { required: true, content: json("ChannelChange") },
  responses: {
    200: given("The channel as it is now.", "ChannelConfirmation", { ...channelExample, confirmation: null }),
    400: badTarget,
    ...refusals,
    ...noChannel,
    409: refused("The appliance cannot send mail.", noMail),
    ...bodyTooLong,
    ...diskFull,
  },
};

const removeChannel = {
  operationId: "removeChannel",
  tags,
  summary: "Remove a channel",
  description: "Gives up what waits for it, and removes it from all rules. A rule without a channel is removed too.",
  parameters: ofChannel,
  responses: { 204: { description: "The channel is gone." }, ...refusals, ...noChannel, ...diskFull },
};

const testChannel = {
  operationId: "testChannel",
  tags,
  summary: "Test a channel",
  description: "Sends one test message, without a retry, by the code that delivers events. The answer of the receiver is not shown.",
  parameters: ofChannel,
  responses: {
    200: given("How it went.", "ChannelTest", channelTestExample),
    ...refusals,
    ...noChannel,
    409: refused(
      "The address is not confirmed, its reader has ended the mails, or the appliance cannot send mail.",
      "The mail address is not confirmed yet.",
    ),
    ...tooMany,
  },
};

const rotateSecret = {
  operationId: "rotateSecret",
  tags,
  summary: "Rotate the secret of a webhook",
  description: "Requests have the signatures of the new secret and of the one before it, until the next rotation.",
  parameters: ofChannel,
  responses: {
    200: given("The channel with its new secret, which is shown only here.", "ChannelWithSecret", channelWithSecretExample),
    ...refusals,
    ...noChannel,
    409: refused("The channel is a mail address.", "Only a webhook has a secret."),
    ...diskFull,
  },
};

const enableChannel = {
  operationId: "enableChannel",
  tags,
  summary: "Enable a channel that was disabled",
  description: "A reader who has ended the mails must confirm the address again. What was dropped meanwhile is not sent.",
  parameters: ofChannel,
  responses: {
    200: given("The channel as it is now.", "ChannelConfirmation", { ...channelExample, confirmation: null }),
    ...refusals,
    ...noChannel,
    409: refused("The appliance cannot send mail.", noMail),
    ...diskFull,
  },
};

const disableChannel = {
  operationId: "disableChannel",
  tags,
  summary: "Disable a channel",
  description: "Gives up what waits for it.",
  parameters: ofChannel,
  responses: {
    200: given("The channel as it is now.", "Channel", {
      ...channelExample,
      disabled: { at: "2026-03-05T09:30:00.000Z", because: "owner" },
    }),
    ...refusals,
    ...noChannel,
    ...diskFull,
  },
};

const confirmChannel = {
  operationId: "confirmChannel",
  tags,
  summary: "Send the link of confirmation again",
  description: "The new link voids the earlier one.",
  parameters: ofChannel,
  responses: {
    200: given("Whether the mail was sent.", "ChannelConfirmation", channelConfirmationExample),
    ...refusals,
    ...noChannel,
    409: refused("The channel is confirmed already, or the appliance cannot send mail.", "The channel is confirmed already."),
    ...tooMany,
    ...diskFull,
  },
};

const ofRule = idParams("rule", 5);
const noRule = notFound("rule");
const badRule = refused(
  "The body is not valid, and fieldErrors says why. Unknown fields are refused.",
  "channelIds must each be one of 3.",
  {
    channelIds: ["must each be one of 3"],
  },
);

const listRules = {
  operationId: "listRules",
  tags,
  summary: "List your account's rules",
  responses: { 200: given("All rules, oldest first.", "RuleList", ruleListExample), ...refusals },
};

const addRule = {
  operationId: "addRule",
  tags,
  summary: "Add a rule",
  description: "An event that several rules match reaches each of their channels once.",
  requestBody: { required: true, content: json("RuleRequest") },
  responses: {
    201: given("The rule.", "Rule", ruleExample, location("rule")),
    400: badRule,
    ...refusals,
    409: refused("The account has too many rules.", `There are at most ${rulesMax} rules; remove one first.`),
    ...bodyTooLong,
    ...diskFull,
  },
};

const readRule = {
  operationId: "readRule",
  tags,
  summary: "Read a rule",
  parameters: ofRule,
  responses: { 200: given("The rule.", "Rule", ruleExample), ...refusals, ...noRule },
};

const changeRule = {
  operationId: "changeRule",
  tags,
  summary: "Change a rule",
  description: "Changes the given fields, each as a whole.",
  parameters: ofRule,
  requestBody: { required: true, content: json("RuleChange") },
  responses: { 200: given("The rule as it is now.", "Rule", ruleExample), 400: badRule, ...refusals, ...noRule, ...tooLong, ...diskFull },
};

const removeRule = {
  operationId: "removeRule",
  tags,
  summary: "Remove a rule",
  parameters: ofRule,
  responses: { 204: { description: "The rule is gone." }, ...refusals, ...noRule, ...diskFull },
};

const ofDelivery = idParams("delivery", 40);
const noDelivery = notFound("delivery");

const listDeliveries = {
  operationId: "listDeliveries",
  tags,
  summary: "List your account's deliveries, newest first",
  parameters: parameters("query", ListQuery),
  responses: { 200: given("A page of deliveries.", "DeliveryList", deliveryListExample), ...badListQuery, ...refusals },
};

const readDelivery = {
  operationId: "readDelivery",
  tags,
  summary: "Read a delivery with its events",
  parameters: ofDelivery,
  responses: { 200: given("The delivery.", "Delivery", deliveryExample), ...refusals, ...noDelivery },
};

const retryDelivery = {
  operationId: "retryDelivery",
  tags,
  summary: "Send a delivery again",
  description: "For a delivery that failed or was dropped. It keeps its webhook-id.",
  parameters: ofDelivery,
  responses: {
    200: given("The delivery waits.", "Delivery", deliveryExample),
    ...refusals,
    ...noDelivery,
    409: refused(
      "The delivery waits or was delivered, or its channel takes nothing.",
      "The delivery is delivered; only one that failed or was dropped can be sent again.",
    ),
    ...diskFull,
  },
};

const listEvents = {
  operationId: "listEvents",
  tags,
  summary: "List your account's events, newest first",
  description: "Events of all sites, and of the account itself.",
  parameters: parameters("query", ListQuery),
  responses: { 200: given("A page of events.", "EventList", eventListExample), ...badListQuery, ...refusals },
};

export const notificationPaths = {
  "/api/v1/channels": { get: listChannels, post: addChannel },
  "/api/v1/channels/{id}": { get: readChannel, patch: changeChannel, delete: removeChannel },
  "/api/v1/channels/{id}/test": { post: testChannel },
  "/api/v1/channels/{id}/rotate-secret": { post: rotateSecret },
  "/api/v1/channels/{id}/enable": { post: enableChannel },
  "/api/v1/channels/{id}/disable": { post: disableChannel },
  "/api/v1/channels/{id}/confirmation": { post: confirmChannel },
  "/api/v1/rules": { get: listRules, post: addRule },
  "/api/v1/rules/{id}": { get: readRule, patch: changeRule, delete: removeRule },
  "/api/v1/deliveries": { get: listDeliveries },
  "/api/v1/deliveries/{id}": { get: readDelivery },
  "/api/v1/deliveries/{id}/retry": { post: retryDelivery },
  "/api/v1/events": { get: listEvents },
};
