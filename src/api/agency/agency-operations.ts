/** Operations on brand, members, invitations and clients, for the OpenAPI description. */
import { Type } from "@sinclair/typebox";
import { logoBytesMax } from "../../base/documents.ts";
import { exportFormats, pdfFormat } from "../../export/formats.ts";
import { memberInvitationHours, memberInvitationsMax } from "../../store/site-accounts.ts";
import { bodyBytesMax } from "../body.ts";
import { given, json, parameters, refusals, refused, retryAfter, tooLong } from "../openapi-parts.ts";
import { LocaleQuery } from "../schemas.ts";
import { oneOfValues } from "../sites/site-models.ts";
import { diskFull } from "../sites/site-operations.ts";
import {
  brandExample,
  clientListExample,
  invitationExample,
  invitationListExample,
  memberExample,
  memberListExample,
  metricsTokenExample,
} from "./agency-examples.ts";

const tags = ["agencies"];
const badBody = "The body is not valid, and fieldErrors says why. Unknown fields are refused.";
const noBrand = { 404: refused("The account has no brand.", "The account has no brand; set one with PUT /api/v1/brand.") };
const noLogo = { 404: refused("The account has no brand, or its brand no logo.", "The brand has no logo.") };
const noMember = { 404: refused("The account has no such member.", "There is no such member.") };
const ofMember = parameters("path", Type.Object({ id: Type.Integer({ minimum: 1, description: "Id of the member.", examples: [7] }) }));

const readBrand = {
  operationId: "readBrand",
  tags,
  summary: "Read the brand of your account",
  responses: { 200: given("The brand.", "Brand", brandExample), ...refusals, ...noBrand },
};

const saveBrand = {
  operationId: "saveBrand",
  tags,
  summary: "Set the brand of your account",
  description: "Name, accent and footer are replaced; the logo stays. Reports have the brand with brand=own, and mails always.",
  requestBody: { required: true, content: json("BrandRequest") },
  responses: {
    200: given("The brand as it is now.", "Brand", brandExample),
    400: refused(badBody, "accent must have a contrast of at least 4.5:1 to white.", {
      accent: ["must have a contrast of at least 4.5:1 to white"],
    }),
    ...refusals,
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const removeBrand = {
  operationId: "removeBrand",
  tags,
  summary: "Remove the brand of your account",
  responses: { 204: { description: "The brand is gone, with its logo." }, ...refusals, ...noBrand, ...diskFull },
};

const readBrandLogo = {
  operationId: "readBrandLogo",
  tags,
  summary: "Read the logo of your brand",
  responses: { 200: { description: "The logo as reports show it.", content: { "image/png": { schema: {} } } }, ...refusals, ...noLogo },
};

const saveBrandLogo = {
  operationId: "saveBrandLogo",
  tags,
  summary: "Set the logo of your brand",
  description: `A PNG or a still WebP of at most ${logoBytesMax} bytes, whatever the Content-Type. The browser of the appliance draws it again.`,
  requestBody: { required: true, content: { "image/png": { schema: {} }, "image/webp": { schema: {} } } },
  responses: {
    200: given("The brand as it is now.", "Brand", brandExample),
    400: refused("The body is no such picture, and fieldErrors says why.", "logo must be a PNG or a still WebP image.", {
      logo: ["must be a PNG or a still WebP image"],
    }),
    ...refusals,
    ...noBrand,
    503: refused(
      "The browser that draws logos is busy, or the disk is full.",
      "The browser that draws logos is busy; try again later.",
      undefined,
      retryAfter,
    ),
  },
};

const removeBrandLogo = {
  operationId: "removeBrandLogo",
  tags,
  summary: "Remove the logo of your brand",
  responses: { 204: { description: "The brand has no logo any more." }, ...refusals, ...noLogo, ...diskFull },
};

const listMembers = {
  operationId: "listMembers",
  tags,
  summary: "List the members of your account",
  description: "Accounts that share its sites on the pages. A token reads the sites of its own account only.",
  responses: { 200: given("All members.", "MemberList", memberListExample), ...refusals },
};

const changeMember = {
  operationId: "changeMember",
  tags,
  summary: "Change the role of a member",
  parameters: ofMember,
  requestBody: { required: true, content: json("MemberChange") },
  responses: {
    200: given("The member as it is now.", "Member", memberExample),
    400: refused(badBody, "role must be one of viewer, editor.", { role: ["must be one of viewer, editor"] }),
    ...refusals,
    ...noMember,
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const removeMember = {
  operationId: "removeMember",
  tags,
  summary: "End the access of a member",
  parameters: ofMember,
  responses: { 204: { description: "The member shares the sites no longer." }, ...refusals, ...noMember, ...diskFull },
};

const listInvitations = {
  operationId: "listInvitations",
  tags,
  summary: "List the open invitations of your account",
  responses: { 200: given("Open invitations, without their links.", "InvitationList", invitationListExample), ...refusals },
};

const inviteMember = {
  operationId: "inviteMember",
  tags,
  summary: "Invite a member",
  description: [
    `A link that is valid for ${memberInvitationHours / 24} days. A mail carries it; without one, the link is in this answer, and only here.`,
    "A new invitation of an address replaces the earlier one.",
  ].join(" "),
  requestBody: { required: true, content: json("InvitationRequest") },
  responses: {
    201: given("The invitation.", "Invitation", invitationExample, {
      Location: { description: "Path of the invitation.", schema: { type: "string" } },
    }),
    400: refused(badBody, "email must be a mail address.", { email: ["must be a mail address"] }),
    ...refusals,
    409: refused(
      `The address is a member already, or there are ${memberInvitationsMax} open invitations.`,
      "This address is a member already.",
    ),
    413: tooLong(bodyBytesMax),
    ...diskFull,
  },
};

const withdrawInvitation = {
  operationId: "withdrawInvitation",
  tags,
  summary: "Withdraw an invitation",
  parameters: parameters(
    "path",
    Type.Object({ email: Type.String({ description: "Invited address.", examples: ["client@bakery.example"] }) }),
  ),
  responses: {
    204: { description: "Its link leads nowhere any more." },
    ...refusals,
    404: refused("The address has no open invitation.", "There is no such invitation."),
    ...diskFull,
  },
};

const listClients = {
  operationId: "listClients",
  tags,
  summary: "List the clients of your account",
  description: "Each name that a site of the account has as its client, with figures of all these sites.",
  responses: { 200: given("All clients.", "ClientList", clientListExample), ...refusals },
};

const readClientReport = {
  operationId: "readClientReport",
  tags,
  summary: "Read the report of all sites of a client",
  description: [
    "One document to hand out, with the brand of the account: scores, open and accepted findings, and what changed in the last 30 days.",
    "A PDF is printed for its request, one at a time.",
  ].join(" "),
  parameters: [
    ...parameters(
      "path",
      Type.Object({
        name: Type.String({ description: "Name of the client.", examples: ["Miller Ltd"] }),
        extension: oneOfValues([pdfFormat.extension, exportFormats.html.extension]),
      }),
    ),
    ...parameters("query", LocaleQuery),
  ],
  responses: {
    200: {
      description: "The file, with an ETag.",
      content: Object.fromEntries([pdfFormat, exportFormats.html].map(({ mediaType }) => [mediaType, { schema: {} }])),
    },
    304: { description: "The file is the one whose ETag came in If-None-Match." },
    400: refused("The locale is not one of the two.", "locale must be one of en-gb, de-de, and be given once."),
    ...refusals,
    404: refused("No site of the account has this client.", "There is no such client."),
    503: refused(
      "Of report.pdf: the browser that prints is busy, or could not print it.",
      "The PDF could not be printed now, since the browser for it is busy; try again later, or read report.html.",
      undefined,
      retryAfter,
    ),
  },
};

const issueMetricsToken = {
  operationId: "issueMetricsToken",
  tags,
  summary: "Issue the token for the metrics of your sites",
  description: "A monitoring system such as Prometheus reads /metrics/sites with it. It replaces the earlier token.",
  responses: { 201: given("The token.", "MetricsToken", metricsTokenExample), ...refusals, ...diskFull },
};

const revokeMetricsToken = {
  operationId: "revokeMetricsToken",
  tags,
  summary: "Revoke the token for the metrics of your sites",
  responses: {
    204: { description: "The token is valid no longer." },
    ...refusals,
    404: refused("There is none.", "There is no such token."),
    ...diskFull,
  },
};

export const agencyPaths = {
  "/api/v1/brand": { get: readBrand, put: saveBrand, delete: removeBrand },
  "/api/v1/brand/logo": { get: readBrandLogo, put: saveBrandLogo, delete: removeBrandLogo },
  "/api/v1/members": { get: listMembers },
  "/api/v1/members/{id}": { patch: changeMember, delete: removeMember },
  "/api/v1/invitations": { get: listInvitations, post: inviteMember },
  "/api/v1/invitations/{email}": { delete: withdrawInvitation },
  "/api/v1/clients": { get: listClients },
  "/api/v1/clients/{name}/report.{extension}": { get: readClientReport },
  "/api/v1/metrics-token": { post: issueMetricsToken, delete: revokeMetricsToken },
};
