/** What an administrator should know before anything else. */
import type { ComponentChildren } from "preact";
import { untranslated } from "../components/foreign.tsx";
import { Notice } from "../components/notice.tsx";
import { useVisit } from "../context.ts";

const diskFreePercentMin = 10;
const bytesPerMegabyte = 1_000_000;

export function AdminBanners() {
  const { words, own, settings } = useVisit();
  const { publicUrl } = settings.addresses;
  const { untrustedForwarder, unsandboxedBecause, diskSpace } = settings.operator;
  const peer = untrustedForwarder();
  const noSandbox = unsandboxedBecause();
  const disk = diskSpace();
  const percent = disk === null ? 100 : Math.floor((100 * disk.freeBytes) / disk.totalBytes);
  const banners: ComponentChildren[] = [];
  if (!own.https && !own.loopback) banners.push(words.say("admin.banners.unencrypted"));
  if (publicUrl === null) banners.push(words.say("admin.banners.publicUrlUnset", { origin: own.origin }));
  else if (publicUrl !== own.origin) banners.push(words.say("admin.banners.publicUrlOther", { origin: own.origin, publicUrl }));
  if (peer !== null) banners.push(words.say("admin.banners.untrustedForwarding", { peer }));
  if (noSandbox !== null) banners.push(<SandboxOff because={noSandbox} />);
  if (disk !== null && percent < diskFreePercentMin) {
    const free = words.number(Math.floor(disk.freeBytes / bytesPerMegabyte));
    banners.push(words.say("admin.banners.diskLow", { percent: words.number(percent), free }));
  }
  if (banners.length === 0) return <Notice kind="good">{words.say("admin.banners.none")}</Notice>;
  return (
    <section aria-label={words.say("admin.banners.title")}>
      {banners.map((banner, at) => (
        <Notice kind="warn" key={String(at)}>
          <p>{banner}</p>
        </Notice>
      ))}
    </section>
  );
}

function SandboxOff({ because }: { readonly because: string }) {
  const { words } = useVisit();
  return (
    <>
      {words.say("admin.banners.sandboxOff")}{" "}
      <q lang="en" {...untranslated}>
        {because}
      </q>
    </>
  );
}
