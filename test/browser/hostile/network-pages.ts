/** Pages that request, send, open, download or navigate without end. */
import { type HostilePage, otherHosts, page, script } from "./page.ts";

const requests: readonly HostilePage[] = [
  page(
    "request-headers",
    script(
      "let n = 0; setInterval(() => { for (let i = 0; i < 10; i++) fetch('?' + n++, { headers: Object.fromEntries(Array.from({ length: 8 }, (_, j) => ['x-' + j, 'y'.repeat(1_000_000)])) }).catch(() => {}); }, 1)",
    ),
  ),
  page(
    "request-addresses",
    script(
      "let n = 0; setInterval(() => { for (let i = 0; i < 10; i++) fetch('/sink?' + n++ + 'x'.repeat(1_500_000)).catch(() => {}); }, 1)",
    ),
  ),
  page(
    "response-headers",
    script("const again = () => fetch('/many-headers?' + Math.random()).finally(again); for (let i = 0; i < 12; i++) again()"),
  ),
  page(
    "endless-responses",
    script(
      "for (let i = 0; i < 6; i++) fetch('/endless?' + i).then((r) => r.arrayBuffer()).catch(() => {}); for (let i = 0; i < 6; i++) { const x = new XMLHttpRequest(); x.open('GET', '/endless?x' + i); x.send(); }",
    ),
  ),
  page(
    "event-streams",
    script("for (let i = 0; i < 6; i++) { const e = new EventSource('/events?' + i); e.onmessage = ({ data }) => keep.push(data + '1'); }"),
  ),
  page(
    "beacons",
    script(
      "setInterval(() => { for (let i = 0; i < 50; i++) { navigator.sendBeacon('/sink', 'x'.repeat(60_000)); fetch('/sink', { method: 'POST', keepalive: true, body: 'x'.repeat(60_000) }).catch(() => {}); } }, 1)",
    ),
  ),
  page(
    "uploads",
    script(
      "setInterval(() => { for (let i = 0; i < 5; i++) fetch('/sink', { method: 'POST', body: megabytes(50) }).catch(() => {}); }, 5)",
    ),
  ),
  page(
    "web-sockets",
    script(
      "for (let i = 0; i < 60; i++) { const s = new WebSocket('wss://' + location.host + '/socket'); s.onmessage = ({ data }) => keep.push(data); s.onopen = () => setInterval(() => { for (let j = 0; j < 10; j++) s.send('x'.repeat(1_000_000)); }, 1); }",
    ),
  ),
  page(
    "preloads",
    script(
      `let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) { const l = document.createElement('link'); l.rel = ['preload', 'preconnect', 'dns-prefetch', 'modulepreload'][n % 4]; l.as = 'script'; l.href = 'https://' + ${JSON.stringify(otherHosts)}[n % ${otherHosts.length}] + '/sink?' + n++; document.head.append(l); } }, 1)`,
    ),
  ),
];

const navigations: readonly HostilePage[] = [
  page("opened-windows", script("setInterval(() => open('?' + Math.random(), '_blank', 'popup'), 10); grow(() => megabytes(20))")),
  page(
    "downloads",
    script(
      "setInterval(() => { const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob([megabytes(20)])); a.download = 'file'; a.click(); const b = document.createElement('a'); b.href = '/endless'; b.download = 'other'; b.click(); }, 5)",
    ),
  ),
  page(
    "moving-between-sites",
    script(
      `setTimeout(() => { const hosts = ${JSON.stringify(otherHosts)}; keep.push(megabytes(100)); location.href = 'https://' + hosts[Math.floor(Math.random() * hosts.length)] + location.pathname + '?' + Math.random(); }, 50)`,
    ),
  ),
  page(
    "moving-frames",
    script(
      `if (top === self) for (let i = 0; i < 20; i++) { const f = document.createElement('iframe'); document.body.append(f); setInterval(() => { f.src = 'https://' + ${JSON.stringify(otherHosts)}[Math.floor(Math.random() * ${otherHosts.length})] + location.pathname + '?' + Math.random(); }, 30); } else keep.push(megabytes(20))`,
    ),
  ),
  page(
    "unloading-for-ever",
    script(
      "onpagehide = onbeforeunload = onunload = () => { navigator.sendBeacon('/sink', 'x'); for (;;) ; }; setTimeout(() => { location.href = '?' + Math.random(); }, 300)",
    ),
  ),
  page(
    "form-submissions",
    script(
      "let n = 0; setInterval(() => { const f = document.createElement('form'); f.method = 'post'; f.action = '?' + n++; f.target = 'f' + n % 20; f.innerHTML = '<input name=a>'; f.firstChild.value = 'x'.repeat(5_000_000); document.body.append(f); f.submit(); }, 5)",
    ),
  ),
  page(
    "replaced-documents",
    script(
      "const again = () => { const d = document.open(); d.write('<title>hostile</title>' + 'word'.repeat(1_000_000)); d.close(); setTimeout(again, 1); }; again()",
    ),
  ),
];

export const networkPages: readonly HostilePage[] = [...requests, ...navigations];
