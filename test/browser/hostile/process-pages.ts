/** Pages that flood the channels between processes, start threads without end, or fill stores in the browser's process. */
import { type HostilePage, isolated, otherHosts, page, script, worker, workers } from "./page.ts";

const megabyte = 1_000_000;

const messages: readonly HostilePage[] = [
  page(
    "broadcast-channels",
    script(`const text = 'x'.repeat(${megabyte}); const all = Array.from({ length: 20 }, () => new BroadcastChannel('c')); for (const c of all) c.onmessage = () => {}; setInterval(() => { for (const c of all) for (let i = 0; i < 20; i++) c.postMessage(text); }, 1);
    ${workers(2, `const text = 'y'.repeat(${megabyte}); const c = new BroadcastChannel('c'); setInterval(() => { for (let i = 0; i < 50; i++) c.postMessage(text) }, 1)`)}`),
    { inShortRun: true },
  ),
  page(
    "message-channels",
    script(
      `const text = 'x'.repeat(${megabyte}); const w = ${worker("onmessage = ({ data }) => { data.onmessage = () => {}; for (;;) ; }")}; for (let i = 0; i < 20; i++) { const { port1, port2 } = new MessageChannel(); w.postMessage(port2, [port2]); setInterval(() => { for (let j = 0; j < 20; j++) port1.postMessage(text); }, 1); }`,
    ),
    { inShortRun: true },
  ),
  page(
    "messages-to-other-sites",
    script(
      `if (top === self) for (const host of ${JSON.stringify(otherHosts.slice(0, 6))}) { const f = document.createElement('iframe'); f.src = 'https://' + host + location.pathname; document.body.append(f); f.onload = () => setInterval(() => { for (let i = 0; i < 20; i++) f.contentWindow.postMessage('x'.repeat(${megabyte}), '*'); }, 1); } else onmessage = () => parent.postMessage('y'.repeat(${megabyte}), '*')`,
    ),
  ),
  page(
    "window-messages",
    script(
      `for (let i = 0; i < 10; i++) postMessage('x'.repeat(${megabyte})); onmessage = ({ data }) => { postMessage(data); postMessage(data.slice(1)); }`,
    ),
  ),
  page("console-messages", script(`setInterval(() => { for (let i = 0; i < 20; i++) console.error('x'.repeat(${megabyte})); }, 1)`)),
  page("dialog-texts", script(`setInterval(() => alert('x'.repeat(${10 * megabyte})), 1)`)),
  page("titles", script(`let n = 0; setInterval(() => { document.title = (n++ + 'x').repeat(${megabyte}); }, 1)`)),
  page("fragments", script(`let n = 0; setInterval(() => { try { location.hash = n++ + 'x'.repeat(${megabyte}); } catch {} }, 1)`)),
  page("window-names", script(`let n = 0; setInterval(() => { name = n++ + 'x'.repeat(${20 * megabyte}); }, 1)`)),
  page(
    "script-addresses",
    script(
      `let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) eval('0//' + n++ + '\\n//# sourceURL=' + 'x'.repeat(${megabyte})); }, 1)`,
    ),
  ),
  page(
    "evaluated-sources",
    script(`let n = 0; setInterval(() => { keep.push(new Function('return "' + n++ + 'x'.repeat(${5 * megabyte}) + '"')()); }, 1)`),
  ),
  page(
    "policy-violations",
    `<script>let n = 0; setInterval(() => { for (let i = 0; i < 200; i++) { const s = document.createElement('script'); s.src = 'https://blocked-' + n++ + '.test/' + 'x'.repeat(50_000); document.head.append(s); s.remove(); document.body.setAttribute('style', 'color: red'); document.body.removeAttribute('style'); } }, 1)</script>`,
    { headers: { "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'" } },
  ),
  page(
    "performance-marks",
    script(`grow(() => { for (let i = 0; i < 100; i++) performance.mark('m', { detail: 'x'.repeat(${megabyte}) + i }); })`),
  ),
  page(
    "navigation-entries",
    script(
      `navigation.onnavigate = (e) => e.canIntercept && e.intercept({ handler: async () => {} }); let n = 0; const again = () => { try { navigation.navigate('?' + n++, { state: 'x'.repeat(${megabyte}), history: 'push' }).finished.then(again, () => setTimeout(again, 1)); } catch { setTimeout(again, 9); } }; again()`,
    ),
  ),
  page(
    "history-states",
    script(`let n = 0; setInterval(() => { try { history.pushState('x'.repeat(${7 * megabyte}) + n, '', '?' + n++); } catch {} }, 1)`),
  ),
  page(
    "locks",
    script(
      "let n = 0; setInterval(() => { for (let i = 0; i < 500; i++) void navigator.locks.request('l'.repeat(10_000) + n++ % 9, () => new Promise(() => {})); }, 1)",
    ),
  ),
];

/** Functions of one module; each has a body of many additions. */
const wasmBomb = `const leb = (n) => { const r = []; do { let b = n & 127; n >>>= 7; if (n) b |= 128; r.push(b); } while (n); return r; };
const body = [0, ...Array.from({ length: 4000 }, () => [0x41, 1, 0x1a]).flat(), 0x0b]; const count = 600; const one = [...leb(body.length), ...body];
const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes]; const code = [...leb(count)]; for (let i = 0; i < count; i++) for (const b of one) code.push(b);
const module = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, [1, 0x60, 0, 0]), ...section(3, [...leb(count), ...Array(count).fill(0)])].concat(section(10, code)));`;

const threads: readonly HostilePage[] = [
  page("a-thousand-workers", script(workers(1_000, "for (;;) ;"))),
  page(
    "workers-in-workers",
    script(
      "const code = 'for (let i = 0; i < 3; i++) new Worker(URL.createObjectURL(new Blob([self.code ?? name], { type: \"text/javascript\" })), { name: self.code ?? name }); for (;;) ;'; new Worker(URL.createObjectURL(new Blob([code])), { name: code })",
    ),
  ),
  page("waiting-workers", script(workers(800, "Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)")), { headers: isolated }),
  page("shared-workers", script("for (let i = 0; i < 100; i++) keep.push(new SharedWorker('shared.js?' + i, 'w' + i))"), {
    files: {
      "shared.js": { type: "text/javascript", body: "const keep = []; setInterval(() => keep.push(new Uint8Array(2e7).fill(1)), 20)" },
    },
  }),
  page(
    "service-workers",
    script("for (let i = 0; i < 100; i++) navigator.serviceWorker.register('service.js?' + i, { scope: 's' + i + '/' }).catch(() => {})"),
    {
      files: {
        "service.js": {
          type: "text/javascript",
          body: "const keep = []; setInterval(() => keep.push(new Uint8Array(2e7).fill(1)), 20); oninstall = (e) => e.waitUntil(new Promise(() => {}))",
        },
      },
    },
  ),
  page(
    "collected-garbage",
    script(
      `const thrash = () => { for (;;) { let a = []; for (let i = 0; i < 200000; i++) a.push({ i, s: 's' + i }); } }; ${workers(6, "for (;;) { let a = []; for (let i = 0; i < 200000; i++) a.push({ i, s: 's' + i }); }")} setTimeout(thrash, 500)`,
    ),
  ),
  page(
    "backtracking",
    script(
      `${workers(8, "/^(a+)+$/.test('a'.repeat(60) + 'b')")} onload = () => setTimeout(() => /^(a|a?)+$/.test('a'.repeat(60) + 'b'), 50)`,
    ),
  ),
  page(
    "wasm-compilation",
    script(
      `${wasmBomb} setInterval(() => { for (let i = 0; i < 8; i++) WebAssembly.compile(module).then((m) => keep.push(m), () => {}); }, 20)`,
    ),
  ),
  page(
    "microtasks",
    script("onload = () => setTimeout(() => { const again = () => { queueMicrotask(again); queueMicrotask(() => {}); }; again(); }, 100)"),
  ),
  page("timers", script("const again = () => { for (let i = 0; i < 3; i++) setTimeout(again, 0); }; again()")),
  page(
    "webgl-contexts",
    script(
      "for (let i = 0; i < 64; i++) { const c = document.createElement('canvas'); c.width = c.height = 4096; const g = c.getContext('webgl2') ?? c.getContext('webgl'); document.body.append(c); if (g) setInterval(() => { for (let j = 0; j < 9; j++) { const b = g.createBuffer(); g.bindBuffer(g.ARRAY_BUFFER, b); g.bufferData(g.ARRAY_BUFFER, megabytes(20), g.STATIC_DRAW); g.clear(g.COLOR_BUFFER_BIT); keep.push(b); } }, 20); }",
    ),
  ),
  page(
    "webgpu-buffers",
    script(
      "navigator.gpu?.requestAdapter().then((a) => a?.requestDevice()).then((d) => d && grow(() => { const b = d.createBuffer({ size: 2e8, usage: 8 }); d.queue.writeBuffer(b, 0, megabytes(190)); return b; }), () => {})",
    ),
  ),
  page(
    "peer-connections",
    script(`for (let i = 0; i < 200; i++) (async () => { const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()]; keep.push(a, b); a.onicecandidate = ({ candidate }) => b.addIceCandidate(candidate); b.onicecandidate = ({ candidate }) => a.addIceCandidate(candidate);
    const c = a.createDataChannel('c'); c.onopen = () => setInterval(() => { try { c.send(new Uint8Array(200000)); } catch {} }, 1); await a.setLocalDescription(); await b.setRemoteDescription(a.localDescription); await b.setLocalDescription(); await a.setRemoteDescription(b.localDescription); })()`),
  ),
];

const stores: readonly HostilePage[] = [
  page("blobs", script("grow((n) => new Blob([megabytes(50), String(n)]))"), { inShortRun: true }),
  page(
    "blob-addresses",
    script("setInterval(() => { for (let i = 0; i < 5000; i++) URL.createObjectURL(new Blob(['x'.repeat(1000) + i])); }, 1)"),
  ),
  page(
    "indexed-db",
    script(
      "const r = indexedDB.open('d', 1); r.onupgradeneeded = () => r.result.createObjectStore('s'); r.onsuccess = () => { let n = 0; const put = () => { const t = r.result.transaction('s', 'readwrite'); t.objectStore('s').put(crypto.getRandomValues(new Uint8Array(60000)).toString().repeat(100), n++); t.objectStore('s').put(megabytes(30), n++); t.oncomplete = t.onabort = () => setTimeout(put, 1); }; put(); }",
    ),
  ),
  page("caches", script("caches.open('c').then((c) => grow((n) => c.put('/x' + n, new Response(megabytes(50)))))")),
  page(
    "private-files",
    script(
      "navigator.storage.getDirectory().then((d) => grow(async (n) => { const w = await (await d.getFileHandle('f' + n, { create: true })).createWritable(); await w.write(megabytes(50)); await w.close(); }))",
    ),
  ),
  page(
    "private-files-in-workers",
    script(
      workers(
        3,
        "navigator.storage.getDirectory().then(async (d) => { const h = await (await d.getFileHandle('w' + Math.random(), { create: true })).createSyncAccessHandle(); let at = 0; const b = megabytes(50); for (;;) { h.write(b, { at }); at += b.length; } })",
      ),
    ),
  ),
  page(
    "local-storage-of-many-sites",
    script(
      `const fill = () => { for (let i = 0; i < 100; i++) try { localStorage['k' + i] = sessionStorage['k' + i] = 'x'.repeat(100_000); } catch {} }; fill(); setInterval(fill, 50); if (top === self) for (const host of ${JSON.stringify(otherHosts)}) { const f = document.createElement('iframe'); f.src = 'https://' + host + location.pathname; document.body.append(f); }`,
    ),
  ),
  page(
    "cookies-of-many-sites",
    script(
      `const fill = () => { for (let i = 0; i < 180; i++) document.cookie = 'c' + i + '=' + 'v'.repeat(3900) + '; secure; samesite=none; partitioned'; }; fill(); setInterval(fill, 20); if (top === self) for (const host of ${JSON.stringify(otherHosts)}) { const f = document.createElement('iframe'); f.src = 'https://' + host + location.pathname; document.body.append(f); }`,
    ),
  ),
];

export const processPages: readonly HostilePage[] = [...messages, ...threads, ...stores];
