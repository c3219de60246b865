/** Bodies of brand, members, invitations and clients, for the OpenAPI description. */
import { Type } from "@sinclair/typebox";
import { brandFooterCharsMax, brandNameCharsMax } from "../../account/brand-fields.ts";
import { emailCharsMax } from "../../store/account-index.ts";
import { memberRoles } from "../../store/site-accounts.ts";
import { instantOf, nullable, oneOfValues, recordId } from "../sites/site-models.ts";

const closed = { additionalProperties: false } as const;
const brandName = Type.String({
  minLength: 1,
  maxLength: brandNameCharsMax,
  description: "Shown in place of assay.",
  examples: ["Example Agency"],
});
const accent = nullable(Type.String({ description: "Colour as #rrggbb, with a contrast of at least 4.5:1 to white; null for none." }), {
  examples: ["#14501e"],
});
const footer = nullable(Type.String({ maxLength: brandFooterCharsMax, description: "Line below each report; null for none." }), {
  examples: ["Example Agency, 1 Example Street"],
});

const role = Type.Unsafe<(typeof memberRoles)[number]>({
  ...oneOfValues(memberRoles),
  description: "A viewer reads the sites, an editor changes them too.",
  examples: ["viewer"],
});
const email = Type.String({
  maxLength: emailCharsMax,
  description: "Only an account with this address can accept.",
  examples: ["client@bakery.example"],
});

const Member = Type.Object({
  id: recordId("Names the member."),
  email: Type.String(),
  role,
  since: instantOf("When the invitation was accepted."),
});

const invitationFields = { email: Type.String(), role, expiresAt: instantOf("End of the link.") };
const Invitation = Type.Object(invitationFields);

export const agencyModels = {
  BrandRequest: Type.Object({ name: brandName, accent: Type.Optional(accent), footer: Type.Optional(footer) }, closed),
  Brand: Type.Object({
    name: Type.String(),
    accent,
    footer,
    logo: nullable(
      Type.Object(
        {
          url: Type.String({ description: "Relative path of the picture." }),
          width: Type.Integer({ minimum: 1, description: "In pixels, as is the height." }),
          height: Type.Integer({ minimum: 1 }),
        },
        { description: "Null without one." },
      ),
    ),
  }),
  MemberChange: Type.Object({ role }, closed),
  Member,
  MemberList: Type.Object({ items: Type.Array(Member) }),
  InvitationRequest: Type.Object({ email, role }, closed),
  Invitation: Type.Object({
    ...invitationFields,
    mail: oneOfValues(["sent", "failed", "too-many", "no-mail"]),
    acceptUrl: nullable(Type.String({ description: "Relative path of the secret link, shown here only; null if a mail carries it." })),
  }),
  InvitationList: Type.Object({ items: Type.Array(Invitation, { description: "Open ones." }) }),
  MetricsToken: Type.Object({ token: Type.String({ description: "Secret; it is shown here only." }) }),
  ClientList: Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        siteCount: Type.Integer({ minimum: 1 }),
        measuredCount: Type.Integer({ minimum: 0, description: "Sites with a score." }),
        score: nullable(Type.Integer({ minimum: 0, maximum: 100, description: "Lowest of these sites; null without a measured one." })),
        open: nullable(Type.Integer({ minimum: 0, description: "Findings of these sites that are open and not accepted." })),
        certificateExpiresAt: nullable(instantOf("The first of these sites' certificates to expire; null if none was read.")),
        reportUrl: Type.String({ description: "Relative path of the client's report as PDF." }),
      }),
      { description: "By name." },
    ),
  }),
};
