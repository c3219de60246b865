/** Examples of bodies about brand, members and clients, for the OpenAPI description. A test holds them against the schemas. */

export const brandExample = {
  name: "Example Agency",
  accent: "#14501e",
  footer: "Example Agency, 1 Example Street",
  logo: { url: "/api/v1/brand/logo", width: 240, height: 64 },
};

export const memberExample = { id: 7, email: "client@bakery.example", role: "viewer", since: "2026-03-01T09:00:00.000Z" };
export const memberListExample = { items: [memberExample] };

const openInvitationExample = { email: "client@bakery.example", role: "viewer", expiresAt: "2026-03-08T09:00:00.000Z" };
export const invitationExample = { ...openInvitationExample, mail: "sent", acceptUrl: null };
export const invitationListExample = { items: [openInvitationExample] };

export const metricsTokenExample = { token: "gM4tXo9QeV1bZk7LsR3wYc" };

export const clientListExample = {
  items: [
    {
      name: "Miller Ltd",
      siteCount: 3,
      measuredCount: 3,
      score: 72,
      open: 9,
      certificateExpiresAt: "2026-05-20T12:00:00.000Z",
      reportUrl: "/api/v1/clients/Miller%20Ltd/report.pdf",
    },
  ],
};
