/** Operations of agencies: brand of the account, members and invitations, clients, and the token for metrics. */

import { Type } from "@sinclair/typebox";
import { issueMetricsToken, revokeMetricsToken } from "../accounts/token-operations.ts";
import {
  type BrandFieldFaults,
  brandFooterCharsMax,
  brandNameCharsMax,
  type GivenBrand,
  parseBrandFields,
  removeBrand,
  saveBrand,
  saveLogo,
  usableBrand,
} from "../agency/brand-operations.ts";
import {
  addMemberInvitation,
  changeMemberRole,
  type InvitationFault,
  memberInvitationPath,
  removeMember,
  withdrawMemberInvitation,
} from "../agency/member-operations.ts";
import { type LogoFault, logoBytesMax, logoUploadBytesMax, printRetrySeconds } from "../base/documents.ts";
import { recordIdOf } from "../base/record-id.ts";
import { type Locale, locales } from "../check/check.ts";
import { clientReportFile } from "../export/client-report/client-report.tsx";
import { figuresOf } from "../export/client-report/collect.ts";
import { type ClientWords, clientWords } from "../export/client-report/words.tsx";
import { brandInFile } from "../export/export.ts";
import { clientReportFileName, exportFormats, pdfFormat } from "../export/formats.ts";
import { readBytes } from "../http/request-body.ts";
import { emailCharsMax } from "../parse/mail/address.ts";
import {
  type Member,
  type MemberRole,
  memberInvitationHours,
  memberInvitationsMax,
  memberRoles,
  type StoredBrand,
  storedLogo,
} from "../store/site-accounts.ts";
import type { Site } from "../store/sites.ts";
import { answer, prepareHeaders } from "./answer.ts";
import { jsonBody, type RequestBody } from "./body.ts";
import { ApiError, doneOrThrow, type FieldErrors, invalidFields, recordNotFound, recordsExceeded } from "./errors.ts";
import { type Call, forAccounts, JsonAnswer, operation } from "./operation.ts";
import { invalidLocale } from "./queries.ts";
import { answerPrinted, answerRendered, downloadHeaders, printingUnavailable, type RenderedBody, withEtag } from "./rendered-bodies.ts";
import { answered, badBody, badField, files, locationHeader, type Responses, refused, retryAfter } from "./responses.ts";
import {
  bodyOf,
  closed,
  example,
  idParams,
  instantOf,
  LocaleQuery,
  model,
  nullable,
  nullExample,
  oneOfValues,
  recordId,
  scoreField,
  worded,
} from "./schemas.ts";
import { type BodyFields, queryOf } from "./validation.ts";

const ofAgency = forAccounts("agencies");

const logoPath = "/api/v1/brand/logo";

const accent = nullable(Type.String({ description: "Colour as #rrggbb, with a contrast of at least 4.5:1 to white; null for none." }), {
  examples: ["#14501e"],
});
const footer = nullable(Type.String({ maxLength: brandFooterCharsMax, description: "Line below each report; null for none." }), {
  examples: ["Example Agency, 1 Example Street"],
});
const BrandRequest = model(
  "BrandRequest",
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: brandNameCharsMax,
        description: "Shown in place of assay.",
        examples: ["Example Agency"],
      }),
      accent: Type.Optional(accent),
      footer: Type.Optional(footer),
    },
    closed,
  ),
);
const Brand = model(
  "Brand",
  Type.Object({
    name: Type.String({ [example]: "Example Agency" }),
    accent,
    footer,
    logo: nullable(
      Type.Object(
        {
          url: Type.String({ description: "Relative path of the picture.", [example]: logoPath }),
          width: Type.Integer({ minimum: 1, description: "In pixels, as is the height.", [example]: 240 }),
          height: Type.Integer({ minimum: 1, [example]: 64 }),
        },
        { description: "Null without one." },
      ),
    ),
  }),
);

export function brandNotFound(status: 404 | 409): ApiError {
  return new ApiError(status, "The account has no brand; set one with PUT /api/v1/brand.");
}

const noBrand: Responses = { 404: refused("The account has no brand.", brandNotFound(404).message) };
const noLogo: Responses = { 404: refused("The account has no brand, or its brand no logo.", logoNotFound().message) };
const ofBrand = { ...ofAgency, record: { find: ownBrand, missing: noBrand } };

export const brandOperations = [
  operation({
    id: "readBrand",
    route: "GET /api/v1/brand",
    ...ofBrand,
    summary: "Read the brand of your account",
    answers: { 200: answered("The brand.", Brand) },
    run: ({ record }) => brandBody(record),
  }),
  operation({
    id: "saveBrand",
    route: "PUT /api/v1/brand",
    ...ofAgency,
    summary: "Set the brand of your account",
    description: "Name, accent and footer are replaced; the logo stays. Reports have the brand with brand=own, and mails always.",
    body: jsonBody(BrandRequest, { faultsOf: refusedFields }),
    answers: { 200: answered("The brand as it is now.", Brand) },
    refusals: badField(badBody, "accent", "must have a contrast of at least 4.5:1 to white"),
    run: async ({ body, account, api }) => brandBody(savedBrand(await saveBrand(api, account, { ...givenBrand(body), logo: "kept" }))),
  }),
  operation({
    id: "removeBrand",
    route: "DELETE /api/v1/brand",
    ...ofBrand,
    summary: "Remove the brand of your account",
    answers: { 204: { description: "The brand is gone, with its logo." } },
    run: ({ account, api }) => removeBrand(api, account),
  }),
  operation({
    id: "readBrandLogo",
    route: "GET /api/v1/brand/logo",
    ...ofBrand,
    summary: "Read the logo of your brand",
    answers: { 200: { description: "The logo as reports show it.", content: files("image/png") } },
    refusals: noLogo,
    run: ({ record, requestContext }) => {
      const logo = storedLogo(record);
      if (logo === null) throw logoNotFound();
      return answer(requestContext, 200, logo.png, prepareHeaders({ "content-type": "image/png" }));
    },
  }),
  operation({
    id: "saveBrandLogo",
    route: "PUT /api/v1/brand/logo",
    ...ofBrand,
    summary: "Set the logo of your brand",
    description: `A PNG or a still WebP of at most ${logoBytesMax} bytes, whatever the Content-Type. The browser of the appliance draws it again.`,
    body: pictureBody(),
    answers: { 200: answered("The brand as it is now.", Brand) },
    refusals: {
      ...badField("The body is no such picture, and fieldErrors says why.", "logo", "must be a PNG or a still WebP image"),
      503: refused("The browser that draws logos is busy, or the disk is full.", logoRefused("busy").message, undefined, retryAfter),
    },
    run: async ({ body, account, api }) => brandBody(savedBrand(await saveLogo(api, account, body))),
  }),
  operation({
    id: "removeBrandLogo",
    route: "DELETE /api/v1/brand/logo",
    ...ofBrand,
    summary: "Remove the logo of your brand",
    answers: { 204: { description: "The brand has no logo any more." } },
    refusals: noLogo,
    run: async ({ account, api }) => savedBrand(await saveLogo(api, account, "removed")),
  }),
];

type Caller = Pick<Call, "account" | "api">;

/** @throws ApiError 404 */
function ownBrand({ account, api }: Caller): StoredBrand {
  const brand = usableBrand(api.store, account);
  if (brand === undefined) throw brandNotFound(404);
  return brand;
}

/** A picture of any declared type. */
function pictureBody(): RequestBody<Uint8Array> {
  return {
    content: files("image/png", "image/webp"),
    bytesMax: null,
    read: async (request) => {
      const bytes = await readBytes(request, logoBytesMax, logoUploadBytesMax);
      if (bytes === "too-long") throw logoRefused("too-large");
      return () => bytes;
    },
  };
}

/** @throws ApiError 400, 404, 503 */
function savedBrand(outcome: Awaited<ReturnType<typeof saveBrand | typeof saveLogo>>): StoredBrand {
  if ("done" in outcome) return outcome.done;
  if ("refused" in outcome) throw outcome.refused === "no-logo" ? logoNotFound() : brandNotFound(404);
  const { logo, ...faults } = outcome.faults;
  throw logo === undefined ? invalidFields(fieldErrorsOf(faults)) : logoRefused(logo);
}

function brandBody(brand: StoredBrand): object {
  const logo = storedLogo(brand);
  const { name, accent, footer } = brand;
  return { name, accent, footer, logo: logo === null ? null : { url: logoPath, width: logo.width, height: logo.height } };
}

const fieldNames = ["name", "accent", "footer"] as const;

function givenBrand(fields: BodyFields): GivenBrand {
  const [name = "", accent = "", footer = ""] = fieldNames.map((each) => String(fields[each] ?? ""));
  return { name, accent, footer };
}

/** Wrong types, or else the faults of the texts. Null without a fault. */
function refusedFields(fields: BodyFields): FieldErrors | null {
  const strays = fieldNames.filter((name) => typeof (fields[name] ?? "") !== "string");
  if (strays.length > 0) return Object.fromEntries(strays.map((name) => [name, ["must be a string"]]));
  const parsed = parseBrandFields(givenBrand(fields));
  return "faults" in parsed ? fieldErrorsOf(parsed.faults) : null;
}

/** Each completes the name of its field. */
function fieldErrorsOf({ name, accent, footer }: BrandFieldFaults): FieldErrors {
  const lineFaults = (charsMax: number) => ({
    noName: "is required",
    tooLong: `must be at most ${charsMax} characters long`,
    characters: "must not contain control characters or line breaks",
  });
  const accentFaults = { notColour: "must be a colour such as #14501e", lowContrast: "must have a contrast of at least 4.5:1 to white" };
  return {
    ...(name !== undefined && { name: [lineFaults(brandNameCharsMax)[name]] }),
    ...(accent !== undefined && { accent: [accentFaults[accent]] }),
    ...(footer !== undefined && { footer: [lineFaults(brandFooterCharsMax)[footer]] }),
  };
}

function logoNotFound(): ApiError {
  return new ApiError(404, "The brand has no logo.");
}

function logoRefused(fault: LogoFault): ApiError {
  const logoFaults: Readonly<Record<Exclude<LogoFault, "busy">, string>> = {
    "too-large": `must be at most ${logoBytesMax} bytes long`,
    "wrong-type": "must be a PNG or a still WebP image",
    "too-many-pixels": "must be at most 4000 pixels wide and high, and have at most 4 million pixels",
    broken: "could not be decoded",
  };
  if (fault !== "busy") return invalidFields({ logo: [logoFaults[fault]] });
  return new ApiError(503, "The browser that draws logos is busy; try again later.", { retrySeconds: printRetrySeconds });
}

const invitationsPath = "/api/v1/invitations";

const roleText = `must be one of ${memberRoles.join(", ")}`;
const role = worded(
  Type.Unsafe<MemberRole>({
    ...oneOfValues(memberRoles),
    description: "A viewer reads the sites, an editor changes them too.",
    examples: ["viewer"],
  }),
  { wrong: roleText, required: roleText },
);
const notMail = "must be a mail address";
const MemberChange = model("MemberChange", Type.Object({ role }, closed));
const InvitationRequest = model(
  "InvitationRequest",
  Type.Object(
    {
      email: worded(
        Type.String({
          minLength: 1,
          maxLength: emailCharsMax,
          description: "Only an account with this address can accept.",
          examples: ["client@bakery.example"],
        }),
        { none: "is required", wrong: notMail, max: notMail },
      ),
      role,
    },
    closed,
  ),
);
const MemberBody = model(
  "Member",
  Type.Object({
    id: recordId("Names the member.", { [example]: 7 }),
    email: Type.String({ [example]: "client@bakery.example" }),
    role,
    since: instantOf("When the invitation was accepted.", "2026-03-01T09:00:00.000Z"),
  }),
);
const MemberList = model("MemberList", Type.Object({ items: Type.Array(MemberBody) }));
const OpenInvitation = Type.Object({
  email: Type.String({ [example]: "client@bakery.example" }),
  role,
  expiresAt: instantOf("End of the link.", "2026-03-08T09:00:00.000Z"),
});
const Invitation = model(
  "Invitation",
  Type.Object({
    ...OpenInvitation.properties,
    mail: oneOfValues(["sent", "failed", "too-many", "no-mail"], { [example]: "sent" }),
    acceptUrl: nullable(
      Type.String({ description: "Relative path of the secret link, shown here only; null if a mail carries it." }),
      nullExample,
    ),
  }),
);
const InvitationList = model("InvitationList", Type.Object({ items: Type.Array(OpenInvitation, { description: "Open ones." }) }));

const noMember = { 404: refused("The account has no such member.", "There is no such member.") };
const ofMember = { ...ofAgency, params: idParams("member", 7) } as const;

export const memberOperations = [
  operation({
    id: "listMembers",
    route: "GET /api/v1/members",
    ...ofAgency,
    summary: "List the members of your account",
    description: "Accounts that share its sites on the pages. A token reads the sites of its own account only.",
    answers: { 200: answered("All members.", MemberList) },
    run: ({ account, api }) => ({ items: api.store.members.list(account.id).flatMap((member) => memberBody(api, member) ?? []) }),
  }),
  operation({
    id: "changeMember",
    route: "PATCH /api/v1/members/{id}",
    ...ofMember,
    summary: "Change the role of a member",
    body: jsonBody(MemberChange),
    answers: { 200: answered("The member as it is now.", MemberBody) },
    refusals: { ...badField(badBody, "role", roleText), ...noMember },
    run: async ({ params, body, account, api }) => {
      const change = { memberId: recordIdOf(params.id), role: body.role };
      const changed = memberBody(api, doneOrThrow(await changeMemberRole(api, account, change), memberNotFound));
      if (changed === null) throw memberNotFound();
      return changed;
    },
  }),
  operation({
    id: "removeMember",
    route: "DELETE /api/v1/members/{id}",
    ...ofMember,
    summary: "End the access of a member",
    answers: { 204: { description: "The member shares the sites no longer." } },
    refusals: noMember,
    run: async ({ params, account, api }) => {
      const member = { ownerId: account.id, memberId: recordIdOf(params.id) };
      return doneOrThrow(await removeMember(api, account, member), memberNotFound);
    },
  }),
  operation({
    id: "listInvitations",
    route: "GET /api/v1/invitations",
    ...ofAgency,
    summary: "List the open invitations of your account",
    answers: { 200: answered("Open invitations, without their links.", InvitationList) },
    run: ({ account, api }) => ({ items: api.store.members.invitations(account.id, api.now()).map(invitationBody) }),
  }),
  operation({
    id: "inviteMember",
    route: "POST /api/v1/invitations",
    ...ofAgency,
    summary: "Invite a member",
    description: [
      `A link that is valid for ${memberInvitationHours / 24} days. A mail carries it; without one, the link is in this answer, and only here.`,
      "A new invitation of an address replaces the earlier one.",
    ].join(" "),
    body: jsonBody(InvitationRequest),
    answers: { 201: answered("The invitation.", Invitation, locationHeader("invitation")) },
    refusals: {
      ...badField(badBody, "email", notMail),
      409: refused(
        `The address is a member already, or there are ${memberInvitationsMax} open invitations.`,
        invitationRefused("member").message,
      ),
    },
    run: async ({ body, account, api }) => {
      const given = { email: body.email.trim(), role: body.role, origin: api.config.public_url ?? "" };
      const { invitation, mail: mailed, value } = doneOrThrow(await addMemberInvitation(api, account, given), invitationRefused);
      // The link is in the answer only if no mail carries it.
      const acceptUrl = mailed === "sent" ? null : memberInvitationPath(value);
      const location = `${invitationsPath}/${encodeURIComponent(invitation.email)}`;
      return new JsonAnswer({ ...invitationBody(invitation), mail: mailed, acceptUrl }, { location });
    },
  }),
  operation({
    id: "withdrawInvitation",
    route: "DELETE /api/v1/invitations/{email}",
    params: Type.Object({ email: Type.String({ description: "Invited address.", examples: ["client@bakery.example"] }) }),
    ...ofAgency,
    summary: "Withdraw an invitation",
    answers: { 204: { description: "Its link leads nowhere any more." } },
    refusals: { 404: refused("The address has no open invitation.", "There is no such invitation.") },
    run: async ({ params, account, api }) =>
      doneOrThrow(await withdrawMemberInvitation(api, account, params.email ?? ""), () => recordNotFound("invitation")),
  }),
];

const memberNotFound = () => recordNotFound("member");

/** Null for an account that is being deleted. */
function memberBody({ store }: Call["api"], { memberId, role: ofMember, since }: Member): object | null {
  const account = store.accounts.findById(memberId);
  return account === undefined ? null : { id: memberId, email: account.email, role: ofMember, since };
}

const invitationBody = bodyOf(OpenInvitation);

function invitationRefused(fault: InvitationFault): ApiError {
  switch (fault) {
    case "email-invalid":
      return invalidFields({ email: [notMail] });
    case "own":
      return invalidFields({ email: ["must not be the address of the account itself"] });
    case "member":
      return new ApiError(409, "This address is a member already.");
    case "full":
      return recordsExceeded("open invitations", memberInvitationsMax);
  }
}

const clientsPath = "/api/v1/clients";

const ClientList = model(
  "ClientList",
  Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String({ [example]: "Miller Ltd" }),
        siteCount: Type.Integer({ minimum: 1, [example]: 3 }),
        measuredCount: Type.Integer({ minimum: 0, description: "Sites with a score.", [example]: 3 }),
        score: nullable(scoreField("Lowest of these sites; null without a measured one.", 72)),
        open: nullable(Type.Integer({ minimum: 0, description: "Findings of these sites that are open and not accepted.", [example]: 9 })),
        certificateExpiresAt: nullable(
          instantOf("The first of these sites' certificates to expire; null if none was read.", "2026-05-20T12:00:00.000Z"),
        ),
        reportUrl: Type.String({
          description: "Relative path of the client's report as PDF.",
          [example]: "/api/v1/clients/Miller%20Ltd/report.pdf",
        }),
      }),
      { description: "By name." },
    ),
  }),
);
const MetricsToken = model(
  "MetricsToken",
  Type.Object({ token: Type.String({ description: "Secret; it is shown here only.", [example]: "gM4tXo9QeV1bZk7LsR3wYc" }) }),
);

const ClientReportQuery = Type.Object({
  ...LocaleQuery.properties,
  words: Type.Optional(
    worded(
      oneOfValues(clientWords, { default: clientWords[0], description: "Findings as sentences for owners of sites, or by their titles." }),
      { wrong: `must be one of ${clientWords.join(", ")}` },
    ),
  ),
});

export const clientOperations = [
  operation({
    id: "listClients",
    route: "GET /api/v1/clients",
    ...ofAgency,
    summary: "List the clients of your account",
    description: "Each name that a site of the account has as its client, with figures of all these sites.",
    answers: { 200: answered("All clients.", ClientList) },
    run: ({ account, api }) => {
      const byClient = Map.groupBy(api.store.sites.list(account.id), ({ client }) => client);
      const items = [...byClient].flatMap(([client, sites]) => (client === null ? [] : clientBody(client, sites)));
      return { items: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
    },
  }),
  operation({
    id: "readClientReport",
    route: "GET /api/v1/clients/{name}/report.{extension}",
    params: Type.Object({
      name: Type.String({ description: "Name of the client.", examples: ["Miller Ltd"] }),
      extension: oneOfValues([pdfFormat.extension, exportFormats.html.extension]),
    }),
    ...ofAgency,
    summary: "Read the report of all sites of a client",
    description: [
      "One document to hand out, with the brand of the account: scores, open and accepted findings, and what changed in the last 30 days.",
      "A PDF is printed for its request, one at a time.",
    ].join(" "),
    query: queryOf(ClientReportQuery, invalidLocale, { repeated: "named" }),
    answers: {
      200: { description: "The file, with an ETag.", content: files(pdfFormat.mediaType, exportFormats.html.mediaType) },
      304: { description: "The file is the one whose ETag came in If-None-Match." },
    },
    refusals: {
      400: refused("A parameter is not valid.", invalidLocale().message),
      404: refused("No site of the account has this client.", "There is no such client."),
      503: refused("Of report.pdf: the browser that prints is busy, or could not print it.", printingUnavailable, undefined, retryAfter),
    },
    run: ({ query: { locale = locales[0], words = clientWords[0] }, ...call }) => {
      const report = reportOf(call, locale, words);
      if (call.params.extension !== pdfFormat.extension) return answerRendered(report, call);
      return answerPrinted(report, clientReportFileName(call.params.name ?? "", call.api.now(), pdfFormat.extension), call);
    },
  }),
  operation({
    id: "issueMetricsToken",
    route: "POST /api/v1/metrics-token",
    ...ofAgency,
    summary: "Issue the token for the metrics of your sites",
    description: "A monitoring system such as Prometheus reads /metrics/sites with it. It replaces the earlier token.",
    answers: { 201: answered("The token.", MetricsToken) },
    run: async ({ account, api }) => ({ token: await issueMetricsToken(api, account) }),
  }),
  operation({
    id: "revokeMetricsToken",
    route: "DELETE /api/v1/metrics-token",
    ...ofAgency,
    summary: "Revoke the token for the metrics of your sites",
    answers: { 204: { description: "The token is valid no longer." } },
    refusals: { 404: refused("There is none.", "There is no such token.") },
    run: async ({ account, api }) => doneOrThrow(await revokeMetricsToken(api, account), () => recordNotFound("token")),
  }),
];

/** Length of a time in ISO 8601, up to the hour. */
const hourChars = "2026-11-25T22".length;

/**
 * Rendering takes a part of a second for many sites, so it is kept. What a report shows of a site changes with its row, or with the hour.
 * @throws ApiError 404 for an unknown client.
 */
function reportOf({ params, account: owner, api }: Call, locale: Locale, words: ClientWords): RenderedBody {
  const { store, checks, version, config, clientBodies } = api;
  const origin = config.public_url;
  const client = params.name ?? "";
  const brand = usableBrand(store, owner) ?? null;
  const now = api.now();
  const sites = store.sites.list(owner.id).filter((site) => site.client === client);
  const source = JSON.stringify([owner.id, client, locale, words, now.toISOString().slice(0, hourChars), brand, sites]);
  return clientBodies.get(new Bun.CryptoHasher("sha256").update(source).digest("base64"), () => {
    const { texts, catalog } = checks();
    const inFile = brand === null ? null : brandInFile(brand);
    const settings = { store, owner, client, locale, words, texts, checks: catalog.checks, version, origin, brand: inFile, now };
    const text = clientReportFile(settings);
    if (text === null) throw recordNotFound("client");
    const { extension, mediaType } = exportFormats.html;
    return withEtag(text, downloadHeaders(mediaType, clientReportFileName(client, now, extension)));
  });
}

function clientBody(name: string, sites: readonly Site[]) {
  const { measured, ...figures } = figuresOf(sites.map((site) => ({ site, open: site.reading?.open ?? 0 })));
  const reportUrl = `${clientsPath}/${encodeURIComponent(name)}/report.pdf`;
  return { name, siteCount: sites.length, measuredCount: measured, ...figures, reportUrl };
}
