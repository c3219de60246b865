/** Deliveries from a real store to a real receiver and a real mail server: once, again after failures, and given up. */
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test } from "vitest";
import { hourMs } from "../../../src/base/units.ts";
import { mailWords } from "../../../src/channels/mail-text.ts";
import { standing } from "../../../src/judge/result.ts";
import type { NewEvent } from "../../../src/store/site-events.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { createTexts } from "../../../src/text/i18n.ts";
import { type DeliveryRig, startDeliveryRig, until } from "../../support/delivery-rig.ts";
import { pngImage } from "../../support/images.ts";

const digestMs = 60_000;
const dropped: NewEvent = { type: "site.score_dropped", token: null, data: { from: 90, to: 60, band: "warn", rank: "weak" } };
const opened = (...severities: readonly ("high" | "low")[]): NewEvent => ({
  type: "finding.opened",
  token: null,
  data: { findings: severities.map((severity) => ({ code: `security.own.${severity}`, checkKey: "own", severity, urls: [] })) },
});

let rig: DeliveryRig;
afterEach(() => rig.stop());

const states = () => rig.deliveries().map(({ state }) => state);
const attempts = () => rig.deliveries()[0]?.attempts ?? [];
const attempted = (count: number) => until(`attempt ${count}`, () => attempts().length >= count);

describe("a webhook", () => {
  test("is delivered once, signed, and noted", async () => {
    rig = await startDeliveryRig();
    const { secrets } = await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("delivered", () => states()[0] === "delivered");
    const [webhook] = rig.webhooks;
    if (webhook === undefined) throw new Error("no webhook came");
    const headers = Object.fromEntries(Object.entries(webhook.headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secrets[0] ?? "").verify(webhook.body, headers)).toMatchObject({
      type: "site.score_dropped",
      data: { site: { name: "a.test" }, scan: null, from: 90, to: 60 },
    });
    expect(attempts()).toEqual([{ at: rig.now().toISOString(), ms: expect.any(Number), status: 204, because: null }]);
    rig.advance(48 * hourMs);
    await rig.restart(1_000);
    expect(rig.webhooks.length).toBe(1);
    expect(await rig.metrics()).toContain('assay_deliveries_total{kind="webhook",result="delivered"} 1\n');
  });

  test("that always fails is sent ten times under one id, then the channel is disabled and the account gets a mail", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => ({ status: 500 }));
    const channel = await rig.addChannel({ kind: "webhook" });
    const site = await rig.addSite("a.test");
    await rig.report(site, dropped);
    const startMs = rig.now().getTime();
    const waitsMs: number[] = [];
    for (let count = 1; count < 10; count++) {
      await attempted(count);
      waitsMs.push(Date.parse(rig.deliveries()[0]?.nextAttemptAt ?? "") - rig.now().getTime());
      rig.advanceToNext();
    }
    await until("given up", () => states()[0] === "failed");
    expect(waitsMs.map((ms) => ms / 60_000)).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(rig.now().getTime() - startMs).toBeGreaterThan(75 * hourMs);
    expect(rig.webhooks.length).toBe(10);
    expect(new Set(rig.webhooks.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
    expect(new Set(rig.webhooks.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
    expect(rig.store.channels.find(1, channel.id)?.disabled).toMatchObject({ because: "failed" });
    await until("a mail about it", () => rig.mails.length === 1);
    expect(rig.mails[0]?.to).toEqual(["owner@agency.test"]);
    expect(rig.mails[0]?.parsed.subject).toBe("A webhook of your account is disabled");
    await until("the notice is noted", () => rig.store.channels.noticesDue().length === 0);
    await rig.report(site, dropped);
    expect(states()).toEqual(["failed"]);
    expect(await rig.metrics()).toMatch(/result="retried"\} 9\n(?:.*\n)*.*kind="webhook",result="failed"\} 1\n/);
  });

  test("that is answered with 410 disables its channel at once and drops what waits", async () => {
    rig = await startDeliveryRig();
    const answering = Promise.withResolvers<{ readonly status: number }>();
    rig.answer(() => answering.promise);
    const channel = await rig.addChannel({ kind: "webhook" });
    const site = await rig.addSite("a.test");
    await rig.report(site, dropped);
    await rig.report(site, opened("high"));
    answering.resolve({ status: 410 });
    await until("disabled", () => rig.store.channels.find(1, channel.id)?.disabled?.because === "gone");
    expect(states()).toEqual(["dropped", "failed"]);
    expect(rig.webhooks.length).toBe(1);
    await until("a mail about it", () => rig.mails.length === 1);
    expect(rig.mails[0]?.parsed.text).toContain("410");
  });

  test("waits as long as Retry-After asks for", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => ({ status: 503, headers: { "retry-after": "3600" } }));
    await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await attempted(1);
    expect(rig.deliveries()[0]?.nextAttemptAt).toBe(new Date(rig.now().getTime() + hourMs).toISOString());
  });

  test("whose process ends before the outcome is stored is sent again under the same id", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => new Promise(() => {}));
    await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("the first request", () => rig.webhooks.length === 1);
    rig.answer(() => ({ status: 200 }));
    await rig.restart(0);
    await until("delivered", () => states()[0] === "delivered");
    expect(rig.webhooks.map(({ headers }) => headers["webhook-id"])).toEqual(Array(2).fill(rig.webhooks[0]?.headers["webhook-id"]));
    expect(attempts().length).toBe(1);
  });

  test("under way when the server stops is waited for", async () => {
    rig = await startDeliveryRig();
    const answering = Promise.withResolvers<{ readonly status: number }>();
    rig.answer(() => answering.promise);
    await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("the request", () => rig.webhooks.length === 1);
    const restarted = rig.restart(60_000);
    answering.resolve({ status: 200 });
    await restarted;
    expect([states(), rig.webhooks.length]).toEqual([["delivered"], 1]);
  });

  test("of a channel that is removed meanwhile stays dropped", async () => {
    rig = await startDeliveryRig();
    const answering = Promise.withResolvers<{ readonly status: number }>();
    rig.answer(() => answering.promise);
    const { id } = await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("the request", () => rig.webhooks.length === 1);
    await rig.store.channels.remove(1, id);
    answering.resolve({ status: 500 });
    await rig.restart(60_000);
    rig.advance(48 * hourMs);
    expect([states(), rig.webhooks.length]).toEqual([["dropped"], 1]);
  });

  test("of a site that is removed while it waits is dropped", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => ({ status: 500 }));
    await rig.addChannel({ kind: "webhook" });
    const site = await rig.addSite("a.test");
    await rig.report(site, dropped);
    await attempted(1);
    await rig.store.sites.remove(1, [site.id], 1);
    rig.advanceToNext();
    await until("dropped", () => states()[0] === "dropped");
    expect(rig.webhooks.length).toBe(1);
  });

  test("of one channel follows the other, and an account uses few of the places", async () => {
    rig = await startDeliveryRig();
    rig.answer(() => new Promise((resolve) => setTimeout(resolve, 20, { status: 200 })));
    const { target } = await rig.addChannel({ kind: "webhook" });
    for (const path of ["b", "c", "d", "e"]) await rig.addChannel({ kind: "webhook", target: `${target}/${path}` });
    await rig.report(await rig.addSite("a.test"), dropped, opened("high"), opened("low"));
    await until("all delivered", () => rig.webhooks.length === 15 && states().every((state) => state === "delivered"));
    expect(rig.most).toEqual({ atOnce: 3, ofPath: 1 });
    const ofFirst = rig.webhooks.filter(({ path }) => path === "/hook").map(({ body }) => JSON.parse(body).type);
    expect(ofFirst).toEqual(["site.score_dropped", "finding.opened", "finding.opened"]);
  });

  test("is sent though an earlier channel of the same event is disabled", async () => {
    rig = await startDeliveryRig();
    const { id, target } = await rig.addChannel({ kind: "webhook" });
    await rig.addChannel({ kind: "webhook", target: `${target}/last` });
    await rig.store.channels.disable(1, id, "owner", rig.now());
    await rig.report(await rig.addSite("a.test"), dropped);
    await until("delivered", () => states()[0] === "delivered");
    expect([states(), rig.webhooks.map(({ path }) => path)]).toEqual([["delivered"], ["/hook/last"]]);
  });

  test("leaves out findings below the rule of the channel", async () => {
    rig = await startDeliveryRig();
    await rig.addChannel({ kind: "webhook" }, "high");
    await rig.report(await rig.addSite("a.test"), opened("high", "low"));
    await until("delivered", () => rig.webhooks.length === 1);
    expect(JSON.parse(rig.webhooks[0]?.body ?? "").data).toMatchObject({ findings: [{ severity: "high" }], findingCount: 1 });
  });

  test("that a person sends again begins a new schedule", async () => {
    rig = await startDeliveryRig({ mail: null });
    rig.answer(() => ({ status: 500 }));
    const { id } = await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    for (let count = 1; count < 10; count++) {
      await attempted(count);
      rig.advanceToNext();
    }
    await until("given up", () => states()[0] === "failed");
    await rig.store.channels.enable(1, id);
    rig.advance(1_000);
    await rig.store.deliveries.retry(1, 1, rig.now());
    rig.deliverer.wake();
    await attempted(11);
    expect(states()).toEqual(["waiting"]);
    expect(rig.store.channels.find(1, id)?.disabled).toBeNull();
  });

  test("that a person sends again follows the schedule after the clock was set back", async () => {
    rig = await startDeliveryRig({ mail: null });
    rig.answer(() => ({ status: 500 }));
    const { id } = await rig.addChannel({ kind: "webhook" });
    await rig.report(await rig.addSite("a.test"), dropped);
    await attempted(1);
    await rig.store.channels.disable(1, id, "owner", rig.now());
    await rig.store.channels.enable(1, id);
    await rig.store.deliveries.retry(1, 1, rig.now());
    rig.advance(-30 * hourMs);
    expect(await rig.store.deliveries.correctTimes(rig.now())).toBe(1);
    const waitsMs: number[] = [];
    for (let count = 2; count < 11; count++) {
      rig.deliverer.wake();
      await attempted(count);
      waitsMs.push(Date.parse(rig.deliveries()[0]?.nextAttemptAt ?? "") - rig.now().getTime());
      rig.advanceToNext();
    }
    await until("given up", () => states()[0] === "failed");
    expect(waitsMs.map((ms) => ms / 60_000)).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(rig.store.channels.find(1, id)?.disabled?.because).toBe("failed");
  });
});

describe("a mail", () => {
  test("reports the events of a minute together, after that minute", async () => {
    rig = await startDeliveryRig();
    await rig.store.accounts.setPreferences(1, { locale: "de-de" });
    const { id, unsubscribeKey } = await rig.addChannel({ kind: "mail" });
    const [first, second] = [await rig.addSite("a.test"), await rig.addSite("b.test")];
    await rig.report(first, dropped, opened("high"));
    rig.advance(digestMs / 2);
    await rig.report(second, opened("low"));
    expect(rig.deliveries().map(({ eventSeqs, attempts: made }) => [eventSeqs, made])).toEqual([[[1, 2, 3], []]]);
    rig.advance(digestMs / 2);
    await until("the mail", () => states()[0] === "delivered");
    expect(rig.mails.length).toBe(1);
    const [mail] = rig.mails;
    expect(mail?.to).toEqual(["team@client.test"]);
    expect(mail?.parsed).toMatchObject({
      subject: "2 Websites wurden schlechter. a.test: von 90 auf 60 Punkte gefallen",
      messageId: "<dlv-1-1@assay.test>",
      date: rig.now(),
    });
    const link = `https://assay.test/unsubscribe/1-${id}?key=${unsubscribeKey}`;
    expect(mail?.source).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    expect(mail?.parsed.headers.get("list")).toMatchObject({ unsubscribe: { url: link } });
    for (const part of [mail?.parsed.text, mail?.parsed.html]) {
      expect(part).toContain(link);
      expect(part).toContain("security.own.high");
      expect(part).toContain("https://assay.test/sites/2");
    }
    expect(attempts()).toMatchObject([{ status: 250, because: null }]);
  });

  test("shows the confirmed scores before and after, since when, and compares their scans", async () => {
    rig = await startDeliveryRig();
    await rig.addChannel({ kind: "mail" });
    const site = await rig.addSite("a.test");
    const finding = { checkKey: "own", severity: "high", urls: ["https://a.test/"] } as const;
    const startAt = rig.now().getTime();
    const timeAt = (minutes: number) => new Date(startAt + minutes * 60_000);
    const events: readonly NewEvent[] = [
      { ...dropped, token: "b".repeat(22) },
      {
        type: "finding.opened",
        token: "b".repeat(22),
        data: { findings: [{ ...finding, code: "security.own.high" }], since: timeAt(50).toISOString() },
      },
    ];
    for (const [minutes, score, letter] of [
      [0, 90, "a"],
      [60, 60, "b"],
    ] as const) {
      const now = timeAt(minutes);
      rig.advance(minutes * 60_000);
      const run = await rig.store.siteRuns.start({ accountId: 1, siteId: site.id, kind: "manual", now });
      if (typeof run === "string") throw new Error(run);
      const isWorse = minutes > 0;
      const history = { token: letter.repeat(22), at: now.toISOString(), score, ...standing(score), open: 0 };
      await rig.store.siteRuns.conclude(
        run,
        () => ({ state: newSiteState, site: {}, events: isWorse ? events : [], rules: null, history }),
        now,
      );
    }
    rig.advance(digestMs);
    await until("the mail", () => states()[0] === "delivered");
    const { text = "", html } = rig.mails[0]?.parsed ?? {};
    const { dateTime } = mailWords(createTexts({ "en-gb": {}, "de-de": {} }), "en-gb");
    const shown = (minutes: number) => dateTime(timeAt(minutes).toISOString());
    expect(text.replaceAll("\r", "")).toContain(
      `Since ${shown(50)}\n\nBefore: 90 of 100, Strong (${shown(0)})\nNow: 60 of 100, Weak (${shown(60)})\n`,
    );
    const link = `https://assay.test/scans/${"b".repeat(22)}/compare?with=${"a".repeat(22)}`;
    for (const part of [text, html]) expect(part).toContain(link);
  });

  test("has the brand of its account while the plan includes one", async () => {
    rig = await startDeliveryRig();
    await rig.addChannel({ kind: "mail" });
    const logo = pngImage(300, 100, "noise");
    await rig.store.brands.change(1, () => ({ name: "Muster Agentur", logoPng: logo.toString("base64"), accent: null, footer: null }));
    const site = await rig.addSite("a.test");
    for (const [count, plan] of (["agency", "free"] as const).entries()) {
      await rig.store.accounts.setPlan(1, plan);
      await rig.report(site, dropped);
      rig.advance(digestMs);
      await until(`mail ${count + 1}`, () => rig.mails.length > count);
    }
    for (const [at, name] of ["Muster Agentur", "Assay"].entries()) {
      expect(rig.mails[at]?.parsed.from?.value).toEqual([{ name, address: "assay@assay.test" }]);
      expect(rig.mails[at]?.parsed.text).toContain(`\n-- \n${name}\n${name} sent this mail because`);
      expect(rig.mails[at]?.parsed.text?.split("\n")[0]).toBe("a.test: score fell from 90 to 60");
    }
    const [branded, plain] = rig.mails.map(({ parsed }) => parsed);
    expect(branded?.attachments.map(({ contentType, cid, content }) => [contentType, cid, logo.equals(content)])).toEqual([
      ["image/png", "logo@assay.invalid", true],
      ["image/png", "score-90@assay.invalid", false],
      ["image/png", "score-60@assay.invalid", false],
    ]);
    expect(branded?.html).toMatch(/<img src="(cid:logo@assay\.invalid|data:image\/png;base64,[^"]+)" alt="" width="192" height="64">/);
    expect(plain?.attachments.map(({ cid }) => cid)).toEqual(["score-90@assay.invalid", "score-60@assay.invalid"]);
  });

  test("whose recipient is refused disables the channel, and the account gets a mail", async () => {
    rig = await startDeliveryRig({ mail: { replies: { recipient: [[550, "no such user"]] } } });
    const { id } = await rig.addChannel({ kind: "mail" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    await until("a mail about it", () => rig.mails.length === 1);
    expect(states()).toEqual(["failed"]);
    expect(attempts()).toMatchObject([{ status: 550, because: "recipient" }]);
    expect(rig.store.channels.find(1, id)?.disabled?.because).toBe("failed");
    expect(rig.mails[0]?.to).toEqual(["owner@agency.test"]);
    expect(rig.mails[0]?.parsed.text).toContain("there is no such mailbox");
    expect(rig.mails[0]?.parsed.text).not.toMatch(/all attempts/i);
  });

  test.each([
    [554, "5.7.1 <team@client.test>: Relay access denied"],
    [553, "5.7.1 <assay@assay.test>: Sender address rejected"],
    [450, "4.3.0 Temporary lookup failure"],
  ] as const)("that the server refuses for another reason waits, and its channel stays: %i %s", async (code, text) => {
    rig = await startDeliveryRig({ mail: { replies: { recipient: Array(10).fill([code, text]) } } });
    const { id } = await rig.addChannel({ kind: "mail" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    await attempted(1);
    expect(states()).toEqual(["waiting"]);
    for (let count = 1; count < 10; count++) {
      await attempted(count);
      rig.advanceToNext();
    }
    await until("given up", () => states()[0] === "failed");
    expect(attempts().map(({ status }) => status)).toEqual(Array(10).fill(code));
    expect(rig.store.channels.find(1, id)?.disabled).toBeNull();
  });

  test("that is greylisted comes with the next attempt, under the same id", async () => {
    rig = await startDeliveryRig({ mail: { replies: { recipient: [[451, "later"]] } } });
    await rig.addChannel({ kind: "mail" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    await attempted(1);
    expect([states(), attempts()[0]]).toMatchObject([["waiting"], { status: 451, because: "greylisted" }]);
    rig.advanceToNext();
    await until("delivered", () => states()[0] === "delivered");
    expect(rig.mails.map(({ parsed }) => parsed.messageId)).toEqual(["<dlv-1-1@assay.test>"]);
  });

  test("waits while the mail server is down, and comes when it is up", async () => {
    rig = await startDeliveryRig();
    rig.setMailServerUp(false);
    await rig.addChannel({ kind: "mail" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    await attempted(1);
    expect([states(), attempts()[0]]).toMatchObject([["waiting"], { status: null, because: "unreachable" }]);
    await rig.restart(1_000);
    expect(rig.mails).toEqual([]);
    rig.setMailServerUp(true);
    rig.advanceToNext();
    await until("delivered", () => states()[0] === "delivered");
    expect(rig.mails.length).toBe(1);
  });

  test("without a mail server is tried by the schedule, and the channel stays", async () => {
    rig = await startDeliveryRig({ mail: null });
    const { id } = await rig.addChannel({ kind: "mail" });
    await rig.report(await rig.addSite("a.test"), dropped);
    rig.advance(digestMs);
    for (let count = 1; count < 10; count++) {
      await attempted(count);
      rig.advanceToNext();
    }
    await until("given up", () => states()[0] === "failed");
    expect(attempts().every(({ because }) => because === "no-mail")).toBe(true);
    expect(rig.store.channels.find(1, id)?.disabled).toBeNull();
  });
});
