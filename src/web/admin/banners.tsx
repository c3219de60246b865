/** Warnings for administrators. */
import type { ComponentChildren } from "preact";
import { Notice } from "../../report/components/notice.tsx";
import { useVisit } from "../context.ts";
import { BackupBanner, backupFaultOf } from "./backups.tsx";
import { EnglishQuote } from "./quote.tsx";

const diskFreePercentMin = 10;
const bytesPerMegabyte = 1_000_000;

export function AdminBanners() {
  const { i18n, server, settings } = useVisit();
  const { public_url: publicUrl } = settings.config;
  const { untrustedForwarder, unsandboxedBecause, diskSpace } = settings.operator;
  const peer = untrustedForwarder();
  const noSandbox = unsandboxedBecause();
  const disk = diskSpace();
  const percent = disk === null ? 100 : Math.floor((100 * disk.freeBytes) / disk.totalBytes);
  const banners: ComponentChildren[] = [];
  if (!server.https && !server.loopback) banners.push(i18n.t("admin.banners.unencrypted"));
  if (publicUrl === null) banners.push(i18n.t("admin.banners.publicUrlUnset", { origin: server.origin }));
  else if (publicUrl !== server.origin) banners.push(i18n.t("admin.banners.publicUrlOther", { origin: server.origin, publicUrl }));
  if (peer !== null) banners.push(i18n.t("admin.banners.untrustedForwarding", { peer }));
  if (noSandbox !== null) banners.push(<SandboxBanner because={noSandbox} />);
  if (settings.operator.checks.lastReload()?.outcome === "refused") banners.push(<ReloadBanner />);
  if (settings.config.readers === "accounts" && settings.config["accounts.signup"] === "open")
    banners.push(i18n.t("admin.banners.openReaders"));
  const fleetFault = settings.operator.fleet()?.fault() ?? null;
  if (fleetFault !== null) banners.push(<FleetBanner because={fleetFault} />);
  const backupFault = backupFaultOf(settings.operator.backups(), settings.now());
  if (backupFault !== null) banners.push(<BackupBanner fault={backupFault} />);
  if (disk !== null && percent < diskFreePercentMin) {
    const free = i18n.number(Math.floor(disk.freeBytes / bytesPerMegabyte));
    banners.push(i18n.t("admin.banners.diskLow", { percent: i18n.number(percent), free }));
  }
  if (banners.length === 0) return <Notice kind="good">{i18n.t("admin.banners.none")}</Notice>;
  return (
    <section aria-label={i18n.t("admin.banners.title")}>
      {banners.map((banner, at) => (
        <Notice kind="warn" key={String(at)}>
          <p>{banner}</p>
        </Notice>
      ))}
    </section>
  );
}

function ReloadBanner() {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.reloadRefused")} <a href="/admin/checks#reload">{i18n.t("admin.banners.reloadFaults")}</a>
    </>
  );
}

function FleetBanner({ because }: { readonly because: string }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.fleetFault")} <EnglishQuote>{because}</EnglishQuote>{" "}
      <a href="/admin/workers">{i18n.t("admin.banners.fleetMore")}</a>
    </>
  );
}

function SandboxBanner({ because }: { readonly because: string }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t("admin.banners.sandboxOff")} <EnglishQuote>{because}</EnglishQuote>
    </>
  );
}
