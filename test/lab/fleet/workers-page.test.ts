/** `/admin/workers` over a running fleet: a real nats-server, head and worker. */
import { expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { quietOperator, startPages } from "../../support/pages.ts";
import { eventually } from "../../support/raw-head.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const { nats: natsTexts } = enGb.pages.admin.workers;

test.skipIf(natsIsMissing())("a worker is shown as it is, drained and resumed, while NATS comes and goes", async () => {
  await using rig = await startRig();
  const fleet = await rig.open();
  const operator = { ...quietOperator, natsServers: rig.nats.url, fleet: () => fleet };
  const pages = await startPages({ store: rig.store, operator });
  try {
    const ofRig = { ...pages, store: rig.store };
    const admin = await signedIn(ofRig, await accountIn(ofRig, "admin@assay.test"));
    const { first } = rig.identities;
    const row = async () => new RegExp(`<tr id="${first.id}".*?</tr>`, "s").exec(await page())?.[0] ?? "";
    const page = async () => (await admin.get("/admin/workers")).text();
    const shows = (words: RegExp) => eventually(async () => words.test(await row()), `a row with ${words}`);
    const change = (state: string) => admin.post(`/admin/workers/${first.id}/state`, { state }, "/admin/workers");

    expect(await row()).toContain("Not started yet");
    await rig.startWorker();
    await shows(/1\.2\.3.*public addresses only.*Present.*0 of 2/s);
    expect(await (await admin.get("/admin")).text()).toContain("1 worker (0 of 2 slots in use)");
    await change("drained");
    expect(await row()).toContain("Drained");
    await eventually(() => fleet.capacity(rigLocation) === 0, "a location without capacity");
    await change("resumed");
    await eventually(() => fleet.capacity(rigLocation) > 0, "the capacity of the resumed worker");

    await rig.nats.stop();
    await eventually(async () => (await page()).includes(natsTexts.disconnected.title), "the lost connection");
    await shows(/Unknown/);
    expect(await (await admin.get("/admin")).text()).toContain(enGb.pages.admin.banners.fleetFault);
    await rig.nats.restart();
    await shows(/Present/);
    await eventually(async () => (await page()).includes(natsTexts.connected.title), "the connection");
    await change("revoked");
    await eventually(() => fleet.capacity(rigLocation) === 0, "the end of the revoked worker");
    expect(await page()).toContain("1 revoked worker");
  } finally {
    await pages.stop();
  }
});
